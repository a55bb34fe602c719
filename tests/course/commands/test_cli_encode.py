"""`g2c encode`: the IDs of a corpus in an artifact, and a sentence for whatever is wrong."""

import pytest

from g2c.commands import main
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import load_artifact, save, save_artifact


@pytest.fixture
def tokenizer(corpus) -> BPETokenizer:
    tokenizer = BPETokenizer(["<|endoftext|>"], pattern="gpt4")
    tokenizer.train_exact(corpus.read_text(), 400)
    return tokenizer


def test_with_a_tokenizer_file(tokenizer, corpus, tmp_path, capsys):
    save(tokenizer, tmp_path / "tokenizer.json")
    command = ["encode", str(tmp_path / "tokenizer.json"), str(corpus), "--output", str(tmp_path / "out"), "--workers"]
    assert main([*command, "0"]) == 1
    assert capsys.readouterr().err.startswith("g2c: workers=0 is too small")
    assert main([*command, "1"]) == 0
    ids = load_artifact(tmp_path / "out").ids.tolist()
    assert ids == tokenizer.encode_fast(corpus.read_text())
    told = f"{corpus.stat().st_size:,} bytes of corpus.txt are {len(ids):,} token IDs."
    assert capsys.readouterr().out.startswith(told)


def test_with_an_artifact(tokenizer, corpus, tmp_path):
    save_artifact(tokenizer, tmp_path / "trained", [], train={"algorithm": "train_exact"})
    command = ["encode", str(tmp_path / "trained"), "--output", str(tmp_path / "out"), "--workers", "1"]
    assert main([*command, str(corpus)]) == 0
    artifact = load_artifact(tmp_path / "out")
    assert artifact.ids.tolist() == tokenizer.encode_fast(corpus.read_text())
    assert artifact.manifest["train"] == {"algorithm": "train_exact"}
