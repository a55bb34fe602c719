"""The milestone is the student's own: `g2c train shakespeare` checks their code first, and says whose code made it."""

import json
import re

import pytest

from coach.exercises import modules
from g2c.commands.milestone import artifact_to_write
from g2c.formats.artifact import save_artifact
from g2c.solutions.bpe import BPETokenizer
from g2c.tokenizer.base import BPEBase
from support.clones import Clone, write_answers

ARTIFACTS = "artifacts/tokenizers"
NAME = "ShakespeareTokenizer"
EXERCISES = modules()["04"].exercises


@pytest.fixture
def clone(clone) -> Clone:
    """A copy of module 04, with a recipe of a few merges on a corpus that is always there."""
    recipe = '"tinyshakespeare", 4096, None, fallback="pydocs"'
    clone.replace("g2c/corpus/corpora.py", recipe, '"pydocs", 280, None')
    return clone


def saved(clone: Clone) -> dict[str, str | None]:
    """Name of each artifact -> whose code made it."""
    manifests = sorted(clone.path(ARTIFACTS).glob("*/manifest.json"))
    return {path.parent.name: json.loads(path.read_text())["train"].get("code") for path in manifests}


def test_code_that_is_not_ready_makes_no_milestone(clone):
    write_answers(clone, EXERCISES)
    clone.replace("g2c/tokenizer/bpe.py", "max(counts", "min(counts")
    done = clone.g2c("train", "shakespeare")
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    assert saved(clone) == {}
    assert done.stderr.startswith("ShakespeareTokenizer is made with your own code, which is not ready yet.")
    assert "Nothing was saved." in done.stderr
    assert "FAILED tests/test_tokenizer.py::TestTrainStep::" in done.stderr
    assert "Called:     tokenizer.train_step(" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("next: fix train_step; for a hint: g2c hint ")


def test_a_file_that_is_not_valid_python_stops_no_command_that_does_without_it(clone):
    save_artifact(BPEBase(), clone.path(f"{ARTIFACTS}/{NAME}"), [72, 105])
    clone.write("_merge", "return (")
    clone.path("text.txt").write_text("Hi")
    for command in (["show", NAME, "Hi"], ["encode", NAME, "text.txt", "--output", "Text"]):
        done = clone.g2c(*command)
        assert (done.returncode, done.stderr) == (0, ""), command
    done = clone.g2c("train", "shakespeare")
    assert done.returncode == 1
    assert re.fullmatch(r"g2c: g2c/tokenizer/bpe\.py, line \d+ is not valid Python: .*\n>.*\n *\^\n", done.stderr)


@pytest.mark.whole
def test_every_command_says_whose_code_made_the_milestone_and_the_students_own_takes_the_place_of_the_keys(clone):
    done = clone.g2c("train", "shakespeare", G2C_SOLUTIONS="04")
    assert done.returncode == 0 and "It was made with the answer key in use." in done.stdout
    assert saved(clone) == {NAME: "answer key"}
    status = clone.g2c("status").stdout
    assert f"· {NAME}" in status and "made with the answer key in use  (g2c train shakespeare)" in status
    assert f"✓ {NAME}" in clone.g2c("status", G2C_SOLUTIONS="all").stdout

    write_answers(clone, EXERCISES)
    done = clone.g2c("train", "shakespeare")
    assert "was made once the exercises had passed their tests." in done.stdout
    assert saved(clone) == {NAME: "student"}
    assert "was made once the exercises had passed their tests." in clone.g2c("train", "shakespeare").stdout
    assert "was made once the exercises had passed their tests." in clone.g2c("verify", "shakespeare").stdout
    assert f"✓ {NAME}" in clone.g2c("status").stdout

    own = {path.name: path.read_bytes() for path in clone.path(f"{ARTIFACTS}/{NAME}").iterdir()}
    done = clone.g2c("train", "shakespeare", "--again", G2C_SOLUTIONS="04")
    assert "ShakespeareTokenizer-answer-key: a vocabulary of 280 tokens" in done.stdout
    assert saved(clone) == {NAME: "student", f"{NAME}-answer-key": "answer key"}
    assert own == {path.name: path.read_bytes() for path in clone.path(f"{ARTIFACTS}/{NAME}").iterdir()}


@pytest.mark.parametrize(
    ("made_by", "written"), [("student", f"{NAME}-answer-key"), (None, f"{NAME}-answer-key"), ("answer key", NAME)]
)
def test_the_key_writes_beside_what_may_be_the_students_own(made_by, written, monkeypatch, tmp_path):
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path))
    monkeypatch.setenv("G2C_SOLUTIONS", "all")
    assert artifact_to_write(NAME) == NAME
    save_artifact(BPETokenizer(), NAME, [72, 105], train={} if made_by is None else {"code": made_by})
    assert artifact_to_write(NAME) == written
    monkeypatch.setenv("G2C_SOLUTIONS", "")
    assert artifact_to_write(NAME) == NAME, "the student's own code takes the place of either"
