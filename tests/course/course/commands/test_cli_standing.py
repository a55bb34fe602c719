"""How far the student is: `g2c`, `g2c status`, and the runs of the suites behind them."""

import json
import os
import re
from dataclasses import replace

import pytest

from g2c.course.commands import state, status
from g2c.course.commands.status import sample_of
from g2c.course.exercises import modules
from g2c.course.notebooks.answer_list import answers_of
from g2c.course.testing.record import TestRecord
from g2c.course.testing.runs import ModuleResult
from support.clones import TODO, Clone

RIGHT = {
    "double": "return 2 * number",
    "halve": "if number % 2:\n    raise ValueError(number)\nreturn number // 2",
    "add": "self.total += number\nreturn self.total",
}

MODULE = modules()["04"]


def overview(clone: Clone, **variables: str) -> str:
    done = clone.g2c(**variables)
    assert done.returncode == 0, done.stderr
    return done.stdout


def bars(text: str) -> dict[str, str]:
    """Module ID -> "1 of 2", from the lines that `g2c` and `g2c status` begin with."""
    return dict(re.findall(r"^(\w+) .* (\d+ of \d+) exercises?", text, flags=re.MULTILINE))


# --- g2c alone --------------------------------------------------------------------------------------------------------

THREAD = "import threading, time\nthreading.Thread(target=time.sleep, args=(1000,)).start()\n"
BRACKETS = "for line in range(9):\n    print('seen', line)\nraise ValueError('[red]a style[/] [1, 2]')"
STANDINGS = {
    "solved out of turn": (
        {"halve": RIGHT["halve"]},
        1,
        "Next: write double  g2c/toys/doubling.py, line 3",
        "pytest tests/test_doubling.py::TestDouble::test_three",
    ),
    "code below the TODO": (
        RIGHT | {"double": f"{TODO.format('double')}\nreturn 2 * number"},
        1,
        "Next: write double  g2c/toys/doubling.py, line 3\nThe TODO in that line still ends your code: delete",
    ),
    "a wrong answer": (
        {"double": "return number + 3"},
        0,
        "Failing: double\ntests/test_doubling.py::TestDouble::test_four\n",
        "double(4) is 8: 4 + 4",
        "g2c hint double",
    ),
    "whole: a test of everything together": (
        RIGHT | {"double": "return 2 * number if number != 7 else 15"},
        2,
        "Failing: TestBoth\ntests/test_doubling.py::TestBoth::test_there_and_back",
    ),
    "the process ends": (
        RIGHT | {"double": "import os\nos._exit(0)"},
        0,
        "Came back:  nothing: the whole program ended, with exit code 0\n",
    ),
    "whole: a loop in C": (
        RIGHT | {"double": "import itertools\nreturn sum(itertools.repeat(0))"},
        0,
        "nothing could interrupt it, in double, g2c/toys/doubling.py, line 4",
    ),
    "an error whose class, message and line are longer than a screen": (
        {"double": f"raise type('A' * 10**6, (ValueError,), {{}})('b' * 10**6)  # {'c' * 300_000}"},
        0,
        "double raised AAAAAAAA",
        "bbbb...",
    ),
    "whole: a thread that goes on forever": ({"double": THREAD + RIGHT["double"]}, 1, "Next: write halve"),
    "what the code prints is shown, and brackets are no styles": (
        {"double": BRACKETS},
        0,
        "[red]a style[/] [1, 2]",
        "Printed:    seen 0\n            seen 1",
        "… 4 more lines: pytest -v",
    ),
}


@pytest.mark.parametrize(
    "name", [pytest.param(each, marks=[pytest.mark.whole] * each.startswith("whole")) for each in STANDINGS]
)
def test_the_overview_counts_what_passes_and_shows_the_next_failing_test(small_course, name):
    written, passing, *shown = STANDINGS[name]
    for exercise in written.keys() - {"add"}:
        small_course.write(exercise, written[exercise])
    text = overview(small_course)
    assert bars(text) == {"91": f"{passing} of 2"}
    assert [part for part in shown if part not in text] == []
    assert "Every exercise passes." not in text


@pytest.mark.whole
def test_a_complete_module_gives_way_to_the_next_and_nothing_runs_after_the_first_that_fails(two_modules):
    two_modules.write("double", RIGHT["double"])
    two_modules.write("add", "open('was-run', 'w').close()")
    text = overview(two_modules)
    assert "Next: write halve" in text and bars(text) == {"91": "1 of 2"} and "\nBegun: 92.\n" in text
    assert not two_modules.path("was-run").exists()
    two_modules.g2c("status")
    assert two_modules.path("was-run").exists()

    two_modules.write("add", TODO.format("add"))
    sample = "sample = 'import g2c.toys; print(\"double(21) is\", g2c.toys.double(21))'\n"
    two_modules.replace("g2c/course/exercises.toml", 'title = "Doubling"\n', f'title = "Doubling"\n{sample}')
    two_modules.write("halve", RIGHT["halve"])
    shown, status = overview(two_modules), two_modules.g2c("status").stdout
    assert bars(shown) == {"91": "2 of 2"} and "\nNot started: 92.\n" in shown
    assert bars(status) == {"91": "2 of 2", "92": "0 of 1"}
    end = r"""All tests of module 91 pass\.
Doubling: 6 tests passed in [\d.]+ s\.
Your tokenizer: double\(21\) is 42\.

Next steps
  1\. work through the notebook +\./noteboosh\.sh 91
  2\. go on with module 92, Counting +g2c watch
$"""
    assert re.search(end, shown) and re.search(end, status)

    two_modules.write("add", RIGHT["add"])
    text = overview(two_modules)
    assert bars(text) == {"92": "1 of 1"} and "\nDone: 91.\n" in text and "Every exercise passes." in text

    two_modules.path("tests/test_counting.py").unlink()
    assert re.search(r"tests/test_counting\.py could not be run:\n(.*\n)+.*g2c doctor", overview(two_modules))


def test_what_keeps_a_suite_from_loading_is_shown(clone):
    clone.replace("g2c/tokenizer/bpe.py", "class BPETokenizer(", "exit(0)\n\n\nclass BPETokenizer(")
    assert re.search(
        r"tests/test_tokenizer\.py could not be run:\ng2c/tokenizer/bpe\.py, line \d+, in <module>:\n(.*\n)+"
        r"g2c/tokenizer/bpe\.py, line \d+ raised SystemExit: 0\n",
        text := overview(clone),
    ), text


@pytest.mark.whole
def test_a_loop_outside_the_functions_keeps_nobody_waiting(clone):
    clone.replace("g2c/tokenizer/bpe.py", "class BPETokenizer(", "while True:\n    pass\n\n\nclass BPETokenizer(")
    shown = r"tests/test_tokenizer\.py could not be run:\n(.*\n)+.*, line \d+: code that runs when .* within 10 s"
    assert re.search(shown, text := overview(clone)), text


@pytest.mark.parametrize(("right", "step"), [(-1, "./noteboosh.sh 04"), (None, "g2c train")])
def test_the_notebook_is_the_next_step_until_all_of_its_answers_are_right(right, step, monkeypatch):
    names = list(answers_of(MODULE))[:right]
    monkeypatch.setattr(status, "right_answers", lambda module: set(names))
    monkeypatch.setattr(status, "artifact_items", list)
    assert list(status.next_steps(MODULE).values())[0].startswith(step)


@pytest.mark.parametrize("code", ["raise ValueError", "while True: pass"])
def test_a_sample_that_fails_is_left_out(code, monkeypatch):
    monkeypatch.setattr(status, "SAMPLE_SECONDS", 0.5)
    assert sample_of(replace(MODULE, sample=code)) == ""


def test_the_sample_of_module_04_names_a_token_that_was_learned(monkeypatch):
    monkeypatch.setenv("G2C_SOLUTIONS", "all")
    assert re.fullmatch(r"from ten lines of Hamlet it learned '.{4,}', .* ID \d{3}", sample_of(MODULE))


def test_results_of_the_answer_key_are_never_taken_for_the_students(two_modules):
    text = overview(two_modules, G2C_SOLUTIONS="91")
    assert bars(text) == {"91": "2 of 2"}
    assert "The answer key is in use for module 91 (G2C_SOLUTIONS=91): what you see there is not your own work." in text
    text = overview(two_modules)
    assert bars(text) == {"91": "0 of 2"} and "\nNot started: 92.\n" in text and "answer key" not in text
    done = two_modules.g2c(G2C_SOLUTIONS="93")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("g2c: ") and "names the module '93', which does not exist" in done.stderr


# --- g2c status -------------------------------------------------------------------------------------------------------


def test_status_says_what_passes_what_is_there_and_what_comes_next(small_course, tmp_path):
    small_course.write("double", RIGHT["double"])
    small_course.write("halve", "return 0")
    (tmp_path / "artifacts" / "Broken").mkdir(parents=True)
    (tmp_path / "tinyshakespeare.txt").write_text("To be, or not to be", encoding="utf-8")
    (tmp_path / "temporary").mkdir()
    folders = {"G2C_DATA": tmp_path, "G2C_ARTIFACTS": tmp_path / "artifacts", "TMPDIR": tmp_path / "temporary"}
    shown = small_course.g2c("status", **{name: str(folder) for name, folder in folders.items()}).stdout
    assert list(folders["TMPDIR"].iterdir()) == []
    assert re.findall(r"^    (.) (\w+) +(passes|fails|not started)$", shown, flags=re.MULTILINE) == [
        ("✓", "double", "passes"),
        ("✗", "halve", "fails"),
    ]
    assert "Your own code was tested, not the answer key." in shown
    assert "Failing: halve" in shown and re.search(r"a hint +g2c hint halve", shown)
    assert re.search(r"✗ tinyshakespeare .*tinyshakespeare\.txt is not the published file", shown)
    assert re.search(r"✗ Broken .*manifest\.json", shown)
    assert "tinystories" not in shown, "a corpus that is not here"


def test_status_lists_the_exercises_of_the_module_in_work_and_the_others_in_a_line_each(two_modules):
    shown = two_modules.g2c("status").stdout
    lines = shown.splitlines()
    assert [line.split()[0] for line in lines[1:5]] == ["91", "·", "·", "92"] and "Your own code" in lines[5]
    assert "none fetched yet: ./datasets.sh --list shows what there is" in shown and "none saved yet" in shown


def test_a_lesson_is_shown_once_when_its_exercise_passes_and_again_only_after_it_failed(small_course):
    lesson = "✓ double now passes.\nWhat double teaches.\n\nNext: write halve"
    for body, shows in ((RIGHT["double"], True), (RIGHT["double"], False), ("return 3 * number", False)):
        small_course.write("double", body)
        assert (lesson in overview(small_course)) == shows, body
    assert "teaches" not in overview(small_course, G2C_SOLUTIONS="all"), "the answer key's"
    small_course.write("double", RIGHT["double"])
    assert lesson in overview(small_course)


def test_suites_run_again_only_when_something_has_changed(small_course):
    path, results = small_course.path("g2c/toys/doubling.py"), small_course.path(".g2c/results.json")
    small_course.write("double", "return 3 * number")
    first_time = path.stat().st_mtime_ns
    assert bars(small_course.g2c("status").stdout) == {"91": "0 of 2"}
    tests = json.loads(results.read_text(encoding="utf-8"))["modules"]["91"]["tests"]
    outcomes = {test["test"].split("::")[1]: test["outcome"] for test in tests}
    # A group ends at its first failing test, and the last one needs all exercises.
    assert outcomes["TestDouble"] == outcomes["TestBoth"] == "skipped"
    # A result that no run of the suite would give shows where the second answer comes from.
    results.write_text(results.read_text(encoding="utf-8").replace('"failed"', '"passed"'), encoding="utf-8")
    assert bars(small_course.g2c("status").stdout) == {"91": "2 of 2"}
    # Saved again within a second, with the same length.
    small_course.write("double", "return 2 * number")
    os.utime(path, ns=(first_time, first_time))
    assert bars(overview(small_course)) == {"91": "1 of 2"}


def test_results_are_not_kept_when_a_file_was_saved_while_tests_ran(small_course):
    small_course.python(
        "from pathlib import Path\n"
        "from g2c.course.testing.runs import results_of_all_modules\n"
        "path = Path('g2c/toys/doubling.py')\n"
        "before = path.read_text()\n"
        "right = before.replace('raise', 'return 2 * number #', 1)\n"
        "results_of_all_modules(on_run=lambda module: path.write_text(right))\n"
        "path.write_text(before)"
    )
    assert bars(overview(small_course)) == {"91": "0 of 2"}


def test_damaged_memory_counts_as_none_and_a_folder_that_cannot_be_written_is_no_obstacle(tmp_path, monkeypatch):
    monkeypatch.setattr("g2c.common.paths.REPOSITORY", tmp_path)
    state.write("results", modules={})
    assert state.read("results") == {"modules": {}}
    for content in (b"{", b"\xff"):
        (tmp_path / ".g2c" / "results.json").write_bytes(content)
        assert state.read("results") == {}
    (tmp_path / ".g2c").rename(tmp_path / "moved")
    (tmp_path / ".g2c").write_text("a file where the folder should be")
    state.write("results", modules={})
    assert state.read("results") == {}


def test_a_skipped_test_alone_does_not_make_a_group_pass():
    outcomes = {group: "skipped" if group == "TestMerge" else "passed" for group in MODULE.groups}
    result = ModuleResult(MODULE, tuple(TestRecord(f"s::{group}::t", outcome) for group, outcome in outcomes.items()))
    assert not result.complete and result.next_exercise.name == "_merge"
