"""Where the student stands: `g2c`, `g2c status`, and the runs of the suites behind them."""

import os
import re
from dataclasses import replace

import pytest

from g2c.course import end_screen, runner, state
from g2c.course.answer_list import answers_of
from g2c.course.commands.status import next_step
from g2c.course.end_screen import sample_of
from g2c.course.exercises import modules
from g2c.course.inventory import DAMAGED, MISSING, VALID, Item
from g2c.course.runner import CaseResult, ModuleResult, group_of
from support.clones import Clone, write_answers

DOUBLING, COUNTING = "g2c/toys/doubling.py", "g2c/toys/counting.py"
DOUBLE = '    raise NotImplementedError("TODO: double")'
HALVE = '    raise NotImplementedError("TODO: halve")'
ADD = '        raise NotImplementedError("TODO: add")'
DOUBLED = "    return 2 * number"
HALVED = "    if number % 2:\n        raise ValueError(number)\n    return number // 2"
ADDED = "        self.total += number\n        return self.total"

MODULE = modules()["04"]


def overview(clone: Clone, **variables: str) -> str:
    done = clone.g2c(**variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


def bars(text: str) -> dict[str, str]:
    """Module ID -> "1 of 2", from the lines that `g2c` and `g2c status` begin with."""
    return dict(re.findall(r"^(\w+) .* (\d+ of \d+) exercises?", text, flags=re.MULTILINE))


# --- g2c alone --------------------------------------------------------------------------------------------------------


def test_before_anything_is_written_the_first_todo_comes_next(two_modules):
    text = overview(two_modules)
    assert bars(text) == {"91": "0 of 2", "92": "0 of 1"}
    assert "Next: write double  g2c/toys/doubling.py, line 3" in text
    assert "pytest tests/test_doubling.py::TestDouble::test_three" in text
    assert "g2c hint double" in text


def test_a_wrong_answer_is_shown_with_its_test_and_message(small_course):
    small_course.replace(DOUBLING, DOUBLE, "    return number + 3")
    text = overview(small_course)
    assert bars(text) == {"91": "0 of 2"}
    assert "Failing: double\ntests/test_doubling.py::TestDouble::test_four\n" in text
    assert "double(4) is 8: 4 + 4" in text
    assert "pytest tests/test_doubling.py::TestDouble::test_four" in text


def test_an_exercise_passes_only_with_all_of_its_groups(small_course):
    small_course.replace(DOUBLING, DOUBLE, DOUBLED)
    small_course.replace(DOUBLING, HALVE, "    return number // 2")
    text = overview(small_course)
    assert bars(text) == {"91": "1 of 2"}
    assert "tests/test_doubling.py::TestHalveOdd::test_five" in text


@pytest.mark.whole
def test_an_exercise_that_was_solved_out_of_turn_counts(small_course):
    small_course.replace(DOUBLING, HALVE, HALVED)
    text = overview(small_course)
    assert bars(text) == {"91": "1 of 2"}
    assert "Next: write double" in text


@pytest.mark.whole
def test_a_complete_module_gives_way_to_the_next(two_modules):
    two_modules.replace(DOUBLING, DOUBLE, DOUBLED)
    two_modules.replace(DOUBLING, HALVE, HALVED)
    text = overview(two_modules)
    assert bars(text) == {"91": "2 of 2", "92": "0 of 1"}
    assert "All tests of module 91 pass." in text
    steps = re.findall(r"^  \d\. (.+?)  +(\S.*)$", text, flags=re.MULTILINE)
    assert [command for _, command in steps] == ["./noteboosh.sh 91", "g2c watch"]
    assert steps[-1][0] == "go on with module 92, Counting"
    two_modules.replace(COUNTING, ADD, ADDED)
    text = overview(two_modules)
    assert bars(text) == {"91": "2 of 2", "92": "1 of 1"}
    assert "Every exercise passes." in text


@pytest.mark.whole
def test_a_test_of_everything_together_is_shown_when_the_exercises_pass(small_course):
    small_course.replace(DOUBLING, DOUBLE, "    return 2 * number if number != 7 else 15")
    small_course.replace(DOUBLING, HALVE, HALVED)
    text = overview(small_course)
    assert bars(text) == {"91": "2 of 2"}
    assert "Failing: TestBoth\ntests/test_doubling.py::TestBoth::test_there_and_back" in text
    assert "Every exercise passes." not in text


def test_a_syntax_error_is_named_with_its_line(small_course):
    small_course.replace(DOUBLING, DOUBLE, "    return (")
    assert "g2c/toys/doubling.py, line 3 is not valid Python: '(' was never closed." in overview(small_course)


@pytest.mark.whole
def test_a_suite_that_cannot_be_read_is_shown_with_the_reason(two_modules):
    text = two_modules.path(COUNTING).read_text(encoding="utf-8")
    two_modules.path(COUNTING).write_text("import no_such_module\n" + text, encoding="utf-8")
    two_modules.replace(DOUBLING, DOUBLE, DOUBLED)
    two_modules.replace(DOUBLING, HALVE, HALVED)
    text = overview(two_modules)
    assert "tests/test_counting.py could not be run:" in text
    assert "No module named 'no_such_module'" in text
    assert bars(text) == {"91": "2 of 2", "92": "0 of 1"}


def test_code_that_ends_python_is_blamed_on_the_test_that_called_it(small_course):
    small_course.replace(DOUBLING, DOUBLE, "    import os\n    os._exit(0)")
    small_course.replace(DOUBLING, HALVE, HALVED)
    text = overview(small_course)
    assert bars(text) == {"91": "1 of 2"}, "the groups after the one that was cut off run all the same"
    assert "tests/test_doubling.py::TestDouble::test_three" in text
    assert "This test ended the run." in text


@pytest.mark.whole
def test_code_that_never_returns_is_ended_and_named(small_course):
    small_course.replace(DOUBLING, DOUBLE, "    while True:\n        pass")
    small_course.replace(DOUBLING, HALVE, HALVED)
    text = overview(small_course)
    assert bars(text) == {"91": "1 of 2"}
    assert "Failing: double" in text
    assert "never returns" in text


@pytest.mark.whole
def test_a_thread_that_goes_on_for_ever_does_not_hold_the_run_up(small_course):
    thread = "    import threading, time\n    threading.Thread(target=time.sleep, args=(1000,)).start()\n"
    small_course.replace(DOUBLING, DOUBLE, thread + DOUBLED)
    assert bars(overview(small_course)) == {"91": "1 of 2"}


def test_the_folders_of_the_tests_are_gone_after_a_run(small_course, tmp_path):
    small_course.replace(DOUBLING, DOUBLE, DOUBLED)
    small_course.replace("tests/test_doubling.py", "def test_three(self):", "def test_three(self, tmp_path):")
    (tmp_path / "temporary").mkdir()
    assert bars(overview(small_course, TMPDIR=str(tmp_path / "temporary"))) == {"91": "1 of 2"}
    assert list((tmp_path / "temporary").iterdir()) == []


def test_what_the_code_prints_does_not_disturb(small_course):
    small_course.replace(DOUBLING, DOUBLE, "    print('[bold]noise[/nope]' * 1000)\n    return 2 * number")
    text = overview(small_course)
    assert bars(text) == {"91": "1 of 2"}
    assert "noise" not in text


def test_a_message_with_brackets_is_shown_as_it_is(small_course):
    small_course.replace(DOUBLING, DOUBLE, "    raise ValueError('[red]not a style[/] [1, 2]')")
    assert "[red]not a style[/] [1, 2]" in overview(small_course)


@pytest.mark.whole
def test_a_missing_suite_is_said(small_course):
    small_course.path("tests/test_doubling.py").unlink()
    text = overview(small_course)
    assert "tests/test_doubling.py could not be run:" in text
    assert "g2c doctor" in text


@pytest.mark.whole
def test_nothing_is_run_after_the_first_module_that_fails(two_modules):
    two_modules.replace(DOUBLING, DOUBLE, "    return number + 3")
    two_modules.replace(COUNTING, ADD, "        open('was-run', 'w').close()")
    text = overview(two_modules)
    assert not two_modules.path("was-run").exists()
    assert re.search(r"^92 .* not tested$", text, flags=re.MULTILINE)
    assert "Failing: double" in text
    two_modules.g2c("status")
    assert two_modules.path("was-run").exists()


@pytest.mark.whole
def test_the_end_screen_has_the_tests_the_sample_and_the_next_steps(two_modules):
    path = two_modules.path("g2c/course/exercises.toml")
    sample = "sample = 'import g2c.toys; print(\"double(21) is\", g2c.toys.double(21))'\n"
    path.write_text(path.read_text(encoding="utf-8").replace('title = "Doubling"\n', f'title = "Doubling"\n{sample}'))
    two_modules.replace(DOUBLING, DOUBLE, DOUBLED)
    two_modules.replace(DOUBLING, HALVE, HALVED)
    for text in (overview(two_modules), two_modules.g2c("status").stdout):
        assert "All tests of module 91 pass." in text
        assert re.search(r"^  tests +6 tests passed in \d\.\d s$", text, flags=re.MULTILINE)
        assert re.search(r"^  your tokenizer +double\(21\) is 42$", text, flags=re.MULTILINE)
        assert text.index("./noteboosh.sh 91") < text.index("go on with module 92, Counting")
        assert "Next: write" not in text


@pytest.mark.parametrize(("right", "step"), [(0, "the notebook"), (11, "the notebook"), (12, "the notebook (done)")])
def test_the_notebook_is_ticked_when_all_of_its_answers_are_right(right, step, monkeypatch):
    names = list(answers_of(MODULE))[:right]
    monkeypatch.setattr(end_screen, "right_answers", lambda module: set(names))
    assert list(end_screen.next_steps(MODULE).items())[0] == (f"1. work through {step}", "./noteboosh.sh 04")


def test_a_notebook_without_answers_to_check_is_not_ticked(monkeypatch):
    monkeypatch.setattr(end_screen, "answers_of", lambda module: {})
    assert list(end_screen.next_steps(MODULE))[0] == "1. work through the notebook"


@pytest.mark.sample(1)
@pytest.mark.parametrize("code", ["raise ValueError", "while True: pass", "print('half'); import os; os._exit(1)"])
def test_a_sample_that_fails_is_left_out(code, monkeypatch):
    monkeypatch.setattr("g2c.course.end_screen.SECONDS", 1)
    assert sample_of(replace(MODULE, sample=code)) == ""


def test_the_sample_of_module_04_names_a_token_that_was_learned(monkeypatch):
    monkeypatch.setenv("G2C_SOLUTIONS", "all")
    assert re.fullmatch(r"from six lines of Hamlet it learned '.{4,}', .* ID \d{3}", sample_of(MODULE))


# --- the answer key ---------------------------------------------------------------------------------------------------


@pytest.mark.whole
def test_results_of_the_answer_key_are_never_taken_for_the_students(two_modules):
    text = overview(two_modules, G2C_SOLUTIONS="91")
    assert bars(text) == {"91": "2 of 2", "92": "0 of 1"}
    assert re.search(r"^91 .* answer key$", text, flags=re.MULTILINE)
    assert "The answer key is in use for module 91 (G2C_SOLUTIONS is set): these are its results, not yours." in text
    text = overview(two_modules)
    assert bars(text) == {"91": "0 of 2", "92": "0 of 1"}
    assert "answer key" not in text


def test_an_unknown_module_in_the_switch_is_refused(small_course):
    done = small_course.g2c(G2C_SOLUTIONS="93")
    assert done.returncode == 1
    assert "names the module '93', which does not exist" in done.stderr
    assert "Traceback" not in done.stderr


# --- g2c status -------------------------------------------------------------------------------------------------------


def test_status_says_what_passes_what_is_there_and_what_comes_next(small_course):
    small_course.replace(DOUBLING, DOUBLE, DOUBLED)
    small_course.replace(DOUBLING, HALVE, "    return 0")
    done = small_course.g2c("status")
    assert done.returncode == 0, done.stderr
    assert re.findall(r"^    (.) (\w+) +(passes|fails|to be written)$", done.stdout, flags=re.MULTILINE) == [
        ("✓", "double", "passes"),
        ("✗", "halve", "fails"),
    ]
    assert "Your own code was tested, not the answer key." in done.stdout
    assert re.search(r"· tinyshakespeare +missing: .*\(\./datasets\.sh --tiny\)", done.stdout)
    assert "none saved yet" in done.stdout
    assert re.search(r"work on halve +g2c watch", done.stdout)


def test_status_shows_corpora_and_artifacts(small_course, tmp_path):
    data, artifacts = tmp_path / "data", tmp_path / "artifacts"
    (artifacts / "Broken").mkdir(parents=True)
    data.mkdir()
    (data / "tinyshakespeare.txt").write_text("To be, or not to be", encoding="utf-8")
    done = small_course.g2c("status", G2C_DATA=str(data), G2C_ARTIFACTS=str(artifacts))
    assert done.returncode == 0, done.stderr
    assert re.search(r"✗ tinyshakespeare .*tinyshakespeare\.txt is not the published file", done.stdout)
    assert re.search(r"✗ Broken .*manifest\.json", done.stdout)


@pytest.mark.whole
def test_suites_run_again_only_when_something_has_changed(small_course):
    before = small_course.g2c("status").stdout
    assert bars(before) == {"91": "0 of 2"}
    # A result that no run of the suite would give shows where the second answer comes from.
    results = small_course.path(".g2c/results.json")
    results.write_text(results.read_text(encoding="utf-8").replace('"failed"', '"passed"'), encoding="utf-8")
    assert bars(small_course.g2c("status").stdout) == {"91": "2 of 2"}
    assert small_course.g2c("status", "--fresh").stdout == before


@pytest.mark.whole
def test_a_file_saved_twice_within_a_second_is_tested_as_it_is_now(small_course):
    path = small_course.path(DOUBLING)
    small_course.replace(DOUBLING, DOUBLE, "    return 3 * number")
    first_time = path.stat().st_mtime_ns
    assert bars(overview(small_course)) == {"91": "0 of 2"}
    small_course.replace(DOUBLING, "    return 3 * number", "    return 2 * number")
    os.utime(path, ns=(first_time, first_time))
    assert bars(overview(small_course)) == {"91": "1 of 2"}


def test_every_file_that_a_result_depends_on_makes_the_suite_run_again(tmp_path, monkeypatch):
    monkeypatch.setattr("g2c.common.paths.REPOSITORY", tmp_path)
    for file in ("g2c/tokenizer/bpe.py", "g2c/given.py", "pyproject.toml"):
        (tmp_path / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / file).write_text("first", encoding="utf-8")
    seen = {runner._fingerprint(MODULE), runner._fingerprint(MODULE)}
    assert len(seen) == 1
    for number, file in enumerate(("g2c/tokenizer/bpe.py", "g2c/given.py", "pyproject.toml", "g2c/new.py"), start=2):
        (tmp_path / file).write_text("second", encoding="utf-8")
        seen.add(runner._fingerprint(MODULE))
        assert len(seen) == number
    monkeypatch.setenv("G2C_SOLUTIONS", "04")
    assert runner._fingerprint(MODULE) not in seen


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"\xff", b"[" * 100_000])
def test_damaged_memory_counts_as_none(content, tmp_path, monkeypatch):
    monkeypatch.setattr("g2c.common.paths.REPOSITORY", tmp_path)
    state.write("results", {"04": {}})
    assert state.read("results") == {"04": {}}
    (tmp_path / ".g2c" / "results.json").write_bytes(content)
    assert state.read("results") == {}


@pytest.mark.parametrize(
    "entry", [None, 1, [], {}, {"fingerprint": "x"}, {"fingerprint": "x", "errors": [], "tests": [1]}]
)
def test_a_remembered_result_of_another_shape_counts_as_none(entry):
    assert runner._recall(MODULE, entry, "x") is None


def test_a_folder_that_cannot_be_written_is_no_obstacle(small_course):
    small_course.path(".g2c").write_text("a file where the folder should be")
    assert bars(overview(small_course)) == {"91": "0 of 2"}
    assert small_course.g2c("hint", "double").returncode == 0


# --- next step --------------------------------------------------------------------------------------------------------

PASSING = ModuleResult(MODULE, False, tuple(CaseResult(f"s::{g}::t", g, "passed", "") for g in MODULE.groups))
SHAKESPEARE = Item("tinyshakespeare", VALID, "")
ARTIFACT = Item("ShakespeareTokenizer", VALID, "")


@pytest.mark.parametrize(
    "result, corpus, artifact, command",
    [
        (ModuleResult(MODULE, False, (), ("SyntaxError",)), SHAKESPEARE, ARTIFACT, "g2c doctor"),
        (ModuleResult(MODULE, False, PASSING.tests[:3]), SHAKESPEARE, ARTIFACT, "g2c watch"),
        (ModuleResult(MODULE, False, PASSING.tests[:-1]), SHAKESPEARE, ARTIFACT, "g2c"),
        (PASSING, Item("tinyshakespeare", MISSING, "", "./datasets.sh --tiny"), ARTIFACT, "./datasets.sh --tiny"),
        (PASSING, Item("g2c-small", MISSING, "", "./datasets.sh --small"), ARTIFACT, "g2c show"),
        (PASSING, Item("g2c-small", DAMAGED, "", "./datasets.sh --small"), ARTIFACT, "./datasets.sh --small"),
        (PASSING, SHAKESPEARE, Item("ShakespeareTokenizer", DAMAGED, ""), "g2c train shakespeare"),
        (PASSING, SHAKESPEARE, Item("Another", VALID, ""), "g2c train shakespeare"),
        (PASSING, SHAKESPEARE, ARTIFACT, "g2c show"),
    ],
)
def test_the_next_step_follows_from_what_is_there(result, corpus, artifact, command):
    assert next_step([result], [corpus], [artifact])[1].startswith(command)


def test_a_skipped_test_alone_does_not_make_a_group_pass():
    skipped = [CaseResult("s::TestMerge::t", "TestMerge", "skipped", "")]
    others = [test for test in PASSING.tests if test.group != "TestMerge"]
    result = ModuleResult(MODULE, False, (*others, *skipped))
    assert not result.complete
    assert result.next_exercise.name == "_merge"


@pytest.mark.parametrize(
    "node, group",
    [
        ("tests/test_tokenizer.py::TestMerge::test_overlap", "TestMerge"),
        ("tests/test_tokenizer.py::TestMerge::test_overlap[a::b]", "TestMerge"),
        ("tests/test_docs.py::test_alone", ""),
        ("tests/test_docs.py::test_alone[a::b::c]", ""),
    ],
)
def test_the_group_of_a_test_is_its_class(node, group):
    assert group_of(node) == group


# --- the course itself ------------------------------------------------------------------------------------------------


@pytest.mark.whole
def test_two_answers_of_the_course_bring_the_third_exercise(clone):
    exercises = modules()["04"].exercises
    write_answers(clone, exercises[:2])
    text = overview(clone)
    assert bars(text) == {"04": "2 of 5"}
    assert f"Next: write {exercises[2].qualified_name}  g2c/tokenizer/bpe.py, line " in text
