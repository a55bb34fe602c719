"""The milestone is the student's own: `g2c train shakespeare` checks their code first, and says whose code made it."""

import json

import pytest

from g2c.course.exercises import find_exercise, modules
from g2c.course.milestone import artifact_to_write
from g2c.formats.artifact import save_artifact
from g2c.solutions.bpe import BPETokenizer
from support.clones import Clone, copy_course, write_answers

FILE = "g2c/tokenizer/bpe.py"
ARTIFACTS = "artifacts/tokenizers"
NAME = "ShakespeareTokenizer"
CHECKED = "Your own train, encode and decode agree with the course's engine on a sample."
BY_KEY = "It was made with the ANSWER KEY: it is not the student's own."


@pytest.fixture
def clone(course_template, tmp_path) -> Clone:
    """A copy of modules 04 and 04e, with a recipe of a few merges on a corpus that is always there."""
    clone = copy_course(course_template, tmp_path / "clone", module_ids=["04", "04e"])
    recipe = 'NamedTokenizer("ShakespeareTokenizer", "{}", {}, None, "text"'
    clone.replace(
        "g2c/corpus/recipes.py",
        recipe.format("tinyshakespeare", 4096) + ', fallback="pydocs")',
        recipe.format("pydocs", 280) + ")",
    )
    return clone


@pytest.fixture
def solved(clone) -> Clone:
    """The same, with the exercises of module 04 solved in the student's file."""
    write_answers(clone, modules()["04"].exercises)
    return clone


def saved(clone: Clone) -> dict[str, str | None]:
    """Name of each artifact -> whose code made it."""
    manifests = sorted(clone.path(ARTIFACTS).glob("*/manifest.json"))
    return {path.parent.name: json.loads(path.read_text())["train"].get("code") for path in manifests}


def item(clone: Clone, **variables: str) -> str:
    """The state and the detail of the milestone, as `g2c status` shows them."""
    code = "from g2c.course.inventory import artifact_items; [item] = artifact_items(); print(item.state, item.detail)"
    return clone.python(code, **variables)


def refused(clone: Clone, *options: str) -> str:
    """What `g2c train shakespeare` says when it refuses, which it must do without saving anything."""
    done = clone.g2c("train", "shakespeare", *options)
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    assert saved(clone) == {}
    assert done.stderr.startswith("ShakespeareTokenizer is made with your own code, which is not ready yet.")
    assert "Nothing was saved." in done.stderr
    assert done.stderr.rstrip().endswith("g2c watch"), "the last line does not say what to do"
    return done.stderr


def test_on_the_untouched_file_the_first_todo_is_named(clone):
    assert "_get_pair_counts is not written yet: g2c/tokenizer/bpe.py, line " in refused(clone)


@pytest.mark.whole
def test_the_todo_that_is_left_is_named(clone):
    write_answers(clone, modules()["04"].exercises[:-1])
    assert "decode is not written yet: g2c/tokenizer/bpe.py, line " in refused(clone)


WRONG = {
    "train_step": (
        "        counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})\n"
        "        if not counts:\n            return None\n"
        "        pair = min(counts, key=counts.get)\n"
        "        self.merges[pair] = new_id\n"
        "        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]\n"
        "        return self._merge(ids, pair, new_id), pair, counts[pair]",
        ["Called:     tokenizer.train(", "Difference: merge 1 is (", "but should be ("],
    ),
    "encode": (
        "        return [i for piece in self._pieces(text) for i in ([piece] if isinstance(piece, int) else piece)]",
        ["Called:     tokenizer.encode(", "Expected:"],
    ),
    "decode": (
        '        return "".join(self.vocab[i].decode(errors="replace") for i in ids)',
        ["Called:     tokenizer.decode(", "Difference:"],
    ),
}


@pytest.mark.parametrize(
    "name",
    ["train_step", pytest.param("encode", marks=pytest.mark.whole), pytest.param("decode", marks=pytest.mark.whole)],
)
def test_a_wrong_method_is_shown_with_a_report(clone, name):
    exercises = [exercise for exercise in modules()["04"].exercises if exercise.name != name]
    write_answers(clone, exercises)
    code, parts = WRONG[name]
    clone.replace(FILE, f'        raise NotImplementedError("TODO: {name}")', code)
    text = refused(clone)
    for part in parts:
        assert part in text


@pytest.mark.whole
def test_a_method_that_never_returns_is_stopped(clone):
    write_answers(clone, modules()["04"].exercises[:3])
    write_answers(clone, [find_exercise("04:decode")])
    clone.replace(FILE, '        raise NotImplementedError("TODO: encode")', "        while True:\n            pass")
    assert "encode never returns" in refused(clone)


@pytest.mark.whole
def test_code_that_ends_the_process_is_refused(clone):
    clone.replace(
        FILE, '        raise NotImplementedError("TODO: train_step")', "        import os\n        os._exit(0)"
    )
    text = clone.g2c("train", "shakespeare")
    assert text.returncode == 1 and saved(clone) == {}
    assert "Your code ended the process that ran it." in text.stderr


def test_own_code_makes_the_milestone_and_every_command_says_so(solved):
    done = solved.g2c("train", "shakespeare")
    assert done.returncode == 0, done.stderr
    assert CHECKED in done.stdout
    assert saved(solved) == {NAME: "student"}
    again = solved.g2c("train", "shakespeare")
    assert "Your own train, encode and decode agreed, when it was made, with the course's engine" in again.stdout
    assert "The artifact was made with the student's own code." in solved.g2c("verify", "shakespeare").stdout
    assert item(solved).startswith("valid ")


@pytest.mark.whole
def test_the_answer_key_makes_it_as_before_and_every_command_says_so(clone):
    done = clone.g2c("train", "shakespeare", G2C_SOLUTIONS="04")
    assert done.returncode == 0 and BY_KEY in done.stdout
    assert saved(clone) == {NAME: "answer key"}
    assert "The artifact was made with the answer key." in clone.g2c("verify", "shakespeare").stdout
    assert item(clone).startswith("not own ") and "made with the answer key" in item(clone)
    assert item(clone, G2C_SOLUTIONS="04").startswith("valid ")


@pytest.mark.whole
def test_status_ticks_only_what_the_students_own_code_made(clone):
    clone.g2c("train", "shakespeare", G2C_SOLUTIONS="04")
    status = clone.g2c("status").stdout
    assert f"· {NAME}" in status and "made with the answer key  (g2c train shakespeare)" in status
    assert f"✓ {NAME}" in clone.g2c("status", G2C_SOLUTIONS="all").stdout


@pytest.mark.whole
def test_the_keys_artifact_gives_way_to_the_students_own(solved):
    assert solved.g2c("train", "shakespeare", G2C_SOLUTIONS="04").returncode == 0
    assert solved.g2c("train", "shakespeare").returncode == 0
    assert saved(solved) == {NAME: "student"}


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


@pytest.mark.whole
def test_the_key_never_replaces_the_students_own(solved):
    assert solved.g2c("train", "shakespeare").returncode == 0
    own = {path.name: path.read_bytes() for path in solved.path(f"{ARTIFACTS}/{NAME}").iterdir()}
    done = solved.g2c("train", "shakespeare", "--again", G2C_SOLUTIONS="04")
    assert done.returncode == 0, done.stderr
    assert "ShakespeareTokenizer-answer-key: a vocabulary of 280 tokens" in done.stdout
    assert saved(solved) == {NAME: "student", f"{NAME}-answer-key": "answer key"}
    assert own == {path.name: path.read_bytes() for path in solved.path(f"{ARTIFACTS}/{NAME}").iterdir()}


# --- --own ------------------------------------------------------------------------------------------------------------


@pytest.mark.whole
def test_once_04e_is_done_a_line_offers_to_train_it_whole(solved):
    offer = "train it whole with your own train_incremental (half an hour to an hour)  g2c train shakespeare --own"
    assert offer not in solved.g2c("train", "shakespeare").stdout
    write_answers(solved, modules()["04e"].exercises)
    assert offer in solved.g2c("train", "shakespeare").stdout


@pytest.mark.whole
def test_own_refuses_until_04e_is_done(solved):
    assert "build_tables is not written yet: g2c/tokenizer/incremental.py, line " in refused(solved, "--own")


@pytest.mark.whole
def test_own_reports_a_wrong_train_incremental(solved):
    write_answers(solved, modules()["04e"].exercises[:2])
    clone_todo = '    raise NotImplementedError("TODO: train_incremental")'
    solved.replace("g2c/tokenizer/incremental.py", clone_todo, "    return {}")
    text = refused(solved, "--own")
    assert "Called:     train_incremental(" in text and "Difference: merge 1 is missing" in text


@pytest.mark.timeout(120)
@pytest.mark.whole
def test_own_trains_on_the_whole_corpus_and_compares(solved):
    solved.replace(
        "g2c/corpus/recipes.py",
        '"pydocs", 280, None, "text"',
        '"tinyshakespeare", 267, None, "text", fallback="pydocs"',
    )
    write_answers(solved, modules()["04e"].exercises)
    done = solved.g2c("train", "shakespeare", "--own")
    assert done.returncode == 0, done.stderr
    assert done.stderr.count("The corpus tinyshakespeare is not here") == 1, done.stderr
    assert done.stdout.startswith(f"Training {NAME} on pydocs with your own train_incremental: half an hour")
    assert "Your train_incremental learned the same merges as the engine, in 0." in done.stdout
    assert saved(solved) == {NAME: "student"}
