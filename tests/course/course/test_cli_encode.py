"""`g2c encode`: the IDs of a corpus in an artifact, and a sentence for whatever is wrong."""

from pydoc_data.topics import topics

import pytest

from g2c.course.cli import main
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import load_artifact, save, save_artifact

TEXT = "\n".join(topics.values())[:20_000]


@pytest.fixture
def tokenizer() -> BPETokenizer:
    tokenizer = BPETokenizer(["<|endoftext|>"], pattern="gpt4")
    tokenizer.train_exact(TEXT, 400)
    return tokenizer


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_bytes(f"{TEXT}<|endoftext|>The end.".encode())
    return path


def test_with_a_tokenizer_file(tokenizer, corpus, tmp_path, capsys):
    save(tokenizer, tmp_path / "tokenizer.json")
    out = tmp_path / "out"
    assert main(["encode", str(tmp_path / "tokenizer.json"), str(corpus), "--output", str(out), "--workers", "1"]) == 0
    artifact = load_artifact(out)
    assert artifact.ids.tolist() == tokenizer.encode_fast(corpus.read_text())
    told = capsys.readouterr().out
    assert f"{corpus.stat().st_size:,} bytes of corpus.txt are {len(artifact.ids):,} token IDs." in told


def test_with_an_artifact_several_files_and_options(tokenizer, corpus, tmp_path):
    save_artifact(tokenizer, tmp_path / "trained", [], train={"algorithm": "train_exact"})
    other = tmp_path / "other.txt"
    other.write_text("Another one.")
    out = tmp_path / "out"
    command = ["encode", str(tmp_path / "trained"), str(corpus), str(other), "--output", str(out), "--workers", "1"]
    assert main([*command, "--ordinary", "--separators"]) == 0
    artifact = load_artifact(out)
    expected = [*tokenizer.encode_ordinary_fast(corpus.read_text()), 256, *tokenizer.encode("Another one."), 256]
    assert artifact.ids.tolist() == expected
    assert artifact.manifest["train"] == {"algorithm": "train_exact"}


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["nowhere.txt"], "nowhere.txt"),
        (["{corpus}", "--workers", "0"], "--workers 0 is too few"),
        (["{corpus}", "--separators"], "has no special token <|endoftext|>"),
    ],
)
def test_what_is_wrong_is_told_in_a_sentence(corpus, tmp_path, capsys, arguments, message):
    save(BPETokenizer(), tmp_path / "tokenizer.json")
    arguments = [argument.format(corpus=corpus) for argument in arguments]
    assert main(["encode", str(tmp_path / "tokenizer.json"), *arguments, "--output", str(tmp_path / "out")]) == 1
    errors = capsys.readouterr().err
    assert errors.startswith("g2c: ") and message in errors and errors.count("\n") == 1
