"""`g2c train` and `g2c show`, on a small recipe."""

import pytest

from g2c.common.errors import CourseError
from g2c.corpus.named_tokenizers import NAMED_TOKENIZERS, NamedTokenizer
from g2c.course import cli
from g2c.course.commands.train import full_name


@pytest.fixture(autouse=True)
def small_recipe(monkeypatch, tmp_path):
    """ShakespeareTokenizer, but small, and with a corpus that is always there."""
    recipe = NamedTokenizer("ShakespeareTokenizer", "pydocs", 300, None, "text")
    monkeypatch.setitem(NAMED_TOKENIZERS, "ShakespeareTokenizer", recipe)
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path / "artifacts"))
    monkeypatch.setenv("G2C_DATA", str(tmp_path / "data"))


@pytest.fixture
def trained(tmp_path, capsys):
    assert cli.main(["train", "shakespeare"]) == 0
    return capsys.readouterr().out


def test_train_says_what_came_out_and_where_it_is(trained, tmp_path):
    folder = tmp_path / "artifacts" / "ShakespeareTokenizer"
    assert "ShakespeareTokenizer: a vocabulary of 300 tokens, trained on pydocs" in trained
    assert f"It is in {folder}." in trained
    assert (folder / "ids.uint32").stat().st_size > 0


def test_a_tokenizer_that_is_there_is_loaded_and_trained_only_with_again(trained, tmp_path, capsys):
    manifest = tmp_path / "artifacts" / "ShakespeareTokenizer" / "manifest.json"
    before = manifest.stat().st_mtime_ns
    assert cli.main(["train", "ShakespeareTokenizer"]) == 0
    assert manifest.stat().st_mtime_ns == before
    assert cli.main(["train", "shakespeare", "--again"]) == 0
    assert manifest.stat().st_mtime_ns != before


def test_a_corpus_that_is_missing_is_one_sentence(capsys):
    assert cli.main(["train", "story"]) == 1
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "./datasets.sh tinystories" in captured.err


def test_show_cuts_a_text_into_tokens(trained, capsys):
    assert cli.main(["show", "shakespeare", "[bold]", "and", "<|end|>\n"]) == 0
    first, second = capsys.readouterr().out.splitlines()
    assert first.replace("│", "") == "[bold]␣and␣<|end|>\\n"
    assert second.endswith(" 262 10")


def test_show_reads_standard_input_and_makes_a_table(trained, capsys, monkeypatch, tmp_path):
    import io

    monkeypatch.setattr("sys.stdin", io.StringIO("hé"))
    assert cli.main(["show", "--table", str(tmp_path / "artifacts" / "ShakespeareTokenizer")]) == 0
    text = capsys.readouterr().out
    assert "104   68      a byte" in text
    assert "195   c3      a byte" in text


@pytest.mark.parametrize(
    "words",
    [["shakespeare", "--table", "hé"], ["--table", "shakespeare", "hé"], ["shakespeare", "hé", "--table"]],
    ids=" ".join,
)
def test_show_takes_its_option_at_any_place(words, trained, capsys):
    assert cli.main(["show", *words]) == 0
    assert "195   c3      a byte" in capsys.readouterr().out


def test_show_refuses_an_option_that_it_does_not_have(trained, capsys):
    with pytest.raises(SystemExit):
        cli.main(["show", "shakespeare", "--tabel", "text"])
    assert "unrecognized arguments: --tabel" in capsys.readouterr().err


def test_show_reads_tokenizer_json_alone(trained, capsys, tmp_path):
    folder = tmp_path / "artifacts" / "ShakespeareTokenizer"
    assert cli.main(["show", str(folder / "tokenizer.json"), "and"]) == 0
    shown = capsys.readouterr().out
    (folder / "ids.uint32").unlink()
    assert cli.main(["show", "shakespeare", "and"]) == 0
    assert capsys.readouterr().out == shown, "the corpus's token IDs are not needed"


@pytest.mark.parametrize(
    "arguments, message",
    [
        (["show", "story", "text"], "There is no artifact"),
        (["show", "nothing", "text"], "There is no artifact"),
        (["show", "shakespeare", "half \ud83d"], "lone surrogate"),
        (["train", "milton"], "There is no tokenizer named 'milton'; the names are shakespeare, story, g2c."),
    ],
)
def test_what_cannot_be_done_is_one_sentence(trained, arguments, message, capsys):
    assert cli.main(arguments) == 1
    captured = capsys.readouterr()
    assert captured.err.startswith("g2c: ") and message in captured.err


@pytest.mark.parametrize("name", ["shakespeare", "Shakespeare", "ShakespeareTokenizer", "shakespearetokenizer"])
def test_a_tokenizer_goes_by_its_short_and_its_full_name(name):
    assert full_name(name) == "ShakespeareTokenizer"


@pytest.mark.parametrize("name", ["", "tokenizer", "../G2CTokenizer"])
def test_other_names_are_refused(name):
    with pytest.raises(CourseError, match="There is no tokenizer named"):
        full_name(name)
