"""`g2c train` and `g2c show`: on a small recipe, and on a corpus of one's own."""

import io
import sys

import pytest

from coach import plain
from coach.common.errors import CourseError
from g2c import commands
from g2c.commands.train import full_name
from g2c.corpus.corpora import NAMED_TOKENIZERS, NamedTokenizer
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer import load_artifact


@pytest.fixture(autouse=True)
def small_recipe(monkeypatch, tmp_path):
    """ShakespeareTokenizer, but small, and with a corpus that is always there."""
    recipe = NamedTokenizer("ShakespeareTokenizer", "pydocs", 300, None)
    monkeypatch.setitem(NAMED_TOKENIZERS, "ShakespeareTokenizer", recipe)
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path / "artifacts"))
    monkeypatch.setenv("G2C_DATA", str(tmp_path / "data"))


@pytest.fixture
def trained(tmp_path, capsys):
    assert commands.main(["train", "shakespeare"]) == 0
    return capsys.readouterr().out


def test_lines_are_wrapped_at_words_in_a_terminal_and_left_whole_in_a_pipe(monkeypatch):
    line = "It was not made by one two three."
    assert plain.fitted(line, io.StringIO()) == line
    monkeypatch.setattr(plain, "width_of", lambda stream: 24)
    assert plain.fitted(f"{line}\nshort", sys.stdout) == "It was not made by one\ntwo three.\nshort"


def test_train_says_what_came_out_and_trains_again_only_when_asked(trained, tmp_path):
    folder = tmp_path / "artifacts" / "ShakespeareTokenizer"
    assert "ShakespeareTokenizer: a vocabulary of 300 tokens, trained on pydocs" in trained
    assert f"It is in {folder}." in trained
    before = (folder / "manifest.json").stat().st_mtime_ns
    assert commands.main(["train", "ShakespeareTokenizer"]) == 0
    assert (folder / "manifest.json").stat().st_mtime_ns == before
    assert commands.main(["train", "shakespeare", "--again"]) == 0
    assert (folder / "manifest.json").stat().st_mtime_ns != before


def test_show_cuts_a_text_into_tokens_and_needs_tokenizer_json_alone(trained, capsys, monkeypatch, tmp_path):
    folder = tmp_path / "artifacts" / "ShakespeareTokenizer"
    (folder / "ids.uint32").unlink()
    monkeypatch.chdir(tmp_path)
    (tmp_path / "shakespeare").touch()  # The name is still that of the artifact.
    for name in ("shakespeare", str(folder), str(folder / "tokenizer.json")):
        assert commands.main(["show", name, "[bold]", "and", "<|end|>\n"]) == 0
        first, second = capsys.readouterr().out.splitlines()
        assert first.replace("│", "") == "[bold]␣and␣<|end|>\\n"
        assert second.endswith(" 262 10")


def test_show_reads_standard_input_and_takes_its_option_at_any_place(trained, capsys, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.StringIO("hé"))
    for words in (["--table", "shakespeare"], ["shakespeare", "--table", "hé"], ["shakespeare", "hé", "--table"]):
        assert commands.main(["show", *words]) == 0
        text = capsys.readouterr().out
        assert "104   68      a byte" in text and "195   c3      a byte" in text, words
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(b"h\xe9"), encoding="utf-8"))
    assert commands.main(["show", "shakespeare"]) == 1
    assert capsys.readouterr().err.startswith("g2c: Standard input is not UTF-8 text: ")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("show story text", "There is no artifact"),
        ("show shakespeare half\ud83d", "lone surrogate"),
        ("train milton", "There is no tokenizer named 'milton'; the names are shakespeare, story, g2c."),
        ("train {corpus}", "give --output NAME and --vocab-size N"),
        ("train shakespeare --vocab-size 300", "The artifact to make has no name"),
        ("train {corpus} --output Mine", "give --vocab-size N"),
        ("train {corpus} --output Mine --vocab-size 10", "vocab_size is 10, but it must be at least"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(trained, corpus, arguments, message, capsys, tmp_path):
    assert commands.main(arguments.format(corpus=corpus).split()) == 1
    captured = capsys.readouterr()
    assert captured.out == "" and captured.err.startswith("g2c: ") and captured.err.count("\n") == 1
    assert message in captured.err
    assert not (tmp_path / "artifacts" / "Mine").exists()


def test_a_tokenizer_goes_by_its_short_and_its_full_name_and_no_other():
    for name in ("shakespeare", "Shakespeare", "ShakespeareTokenizer", "shakespearetokenizer"):
        assert full_name(name) == "ShakespeareTokenizer"
    for name in ("", "tokenizer", "../G2CTokenizer"):
        with pytest.raises(CourseError, match="There is no tokenizer named"):
            full_name(name)


def test_a_corpus_becomes_an_artifact_that_the_other_commands_take(corpus, tmp_path, capsys):
    command = ["train", str(corpus), "--vocab-size", "400", "--pattern", "gpt2", "--ties", "lowest-id"]
    command += ["--special", "<|endoftext|>", "<｜end｜>", "--output", "Mine too", "--workers", "1"]
    assert commands.main(command) == 0
    told = capsys.readouterr().out
    artifact = load_artifact("Mine too")
    assert "Mine too: a vocabulary of 400 tokens, trained on corpus.txt, which it encodes as " in told
    assert f"It is in {tmp_path / 'artifacts' / 'Mine too'}." in told
    assert "g2c show 'Mine too'" in told

    expected = BPETokenizer(["<|endoftext|>", "<｜end｜>"], "gpt2")
    ids = expected.train_exact(corpus.read_text(), 400, ties="lowest-id")
    assert artifact.tokenizer.merges == expected.merges
    assert artifact.ids.tolist() == ids

    assert commands.main(["verify", "Mine too"]) == 0
    assert commands.main(["show", "Mine too", "<｜end｜>"]) == 0 and "\n1 token for 11 b" in capsys.readouterr().out
    assert commands.main(["encode", "Mine too", str(corpus), "--output", "Again", "--workers", "1"]) == 0
    assert load_artifact("Again").ids.tolist() == ids


@pytest.mark.parametrize(
    ("options", "expected"),
    [([], BPETokenizer(["<|endoftext|>"], "gpt4")), (["--pattern", "none", "--special"], BPETokenizer())],
    ids=["by default", "without a pattern and special tokens"],
)
def test_options_decide_what_is_trained(corpus, options, expected):
    assert commands.main(["train", str(corpus), "--vocab-size", "300", "--output", "Mine", *options]) == 0
    ids = expected.train_exact(corpus.read_text(), 300)
    tokenizer, found, _, _ = load_artifact("Mine")
    assert (tokenizer.pattern, tokenizer.special_tokens) == (expected.pattern, expected.special_tokens)
    assert tokenizer.merges == expected.merges and found.tolist() == ids
