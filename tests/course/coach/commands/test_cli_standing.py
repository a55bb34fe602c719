"""How far the student is: `g2c`, which tests the module in work, and `g2c status`, which tests nothing."""

import os
import re

import pytest

from coach import standing, state
from coach.exercises import modules
from coach.notebooks.answer_list import answers_of
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
    """Module ID -> "1 of 2", from the lines of `g2c` and `g2c status` on modules."""
    return dict(re.findall(r"^(\w+) .* (\d+ of \d+) exercises?", text, flags=re.MULTILINE))


# --- g2c alone --------------------------------------------------------------------------------------------------------


NEXT = "next: write double, in small/toys/doubling.py, line 3"
STILL_THERE = "small/toys/doubling.py, line 3\nThe TODO in that line still ends your code: delete the line"
ENDED = "TestDouble::test_three\nCame back:  nothing: the whole program ended, with exit code 0"
OVERVIEWS = {
    "solved out of turn": (None, "1 of 2", NEXT),
    "code below the TODO": (f"{TODO.format('double')}\nreturn 2 * number", "1 of 2", STILL_THERE),
    "a test of everything together": ("return 2 * number if number != 7 else 15", "2 of 2", "TestBoth::test_there"),
    "the process ends": ("import os\nos._exit(0)", None, ENDED),
}
"""Name -> the body of double, how many exercises pass, and a part of the screen."""


@pytest.mark.parametrize(("double", "passing", "shown"), OVERVIEWS.values(), ids=OVERVIEWS)
def test_the_overview_counts_what_passes_and_shows_the_next_failing_test(small_course, double, passing, shown):
    small_course.write("halve", RIGHT["halve"])
    if double:
        small_course.write("double", double)
    text = overview(small_course)
    assert bars(text) == ({"91": passing} if passing else {}), text
    assert shown in text


def test_a_complete_module_gives_way_to_the_next(two_modules):
    two_modules.write("double", RIGHT["double"])
    assert "next: write halve" in overview(two_modules)
    two_modules.write("halve", RIGHT["halve"])
    for _ in range(2):
        text = overview(two_modules)
        assert re.search(
            r"All tests of module 91 pass\.\n(.*\n)*next: work through the notebook +\./noteboosh\.sh 91\n", text
        )
        assert re.search(r"then: go on with module 92, Counting +small watch\n$", text)
    assert re.search(r"\nnext: work through .*\nthen: go on with module 92.*\n$", two_modules.g2c("status").stdout)
    two_modules.write("add", "return number")
    assert "next: fix add" in overview(two_modules)
    two_modules.write("halve", "return 0")
    assert "next: fix halve" in overview(two_modules), "a module that was complete, and has changed"
    two_modules.write("halve", RIGHT["halve"])
    overview(two_modules)

    two_modules.path("tests/test_counting.py").unlink()
    assert re.search(r"tests/test_counting\.py could not be run:\n(.*\n)+next: small doctor", overview(two_modules))


def test_the_module_saved_last_is_in_work_and_any_other_can_be_named(two_modules):
    assert "next: write double" in overview(two_modules), "none is begun"
    two_modules.write("add", "return number")
    assert "next: fix add" in overview(two_modules)
    assert two_modules.g2c("hint").stdout.startswith("Tally.add")
    two_modules.write("double", "return 3 * number")
    assert "next: fix double" in overview(two_modules)
    assert "next: fix add" in two_modules.g2c("92").stdout
    two_modules.write("add", RIGHT["add"])
    text = overview(two_modules)
    assert "All tests of module 92 pass." in text and "then: go on with module 91, Doubling" in text
    assert "next: fix double" in overview(two_modules), "92 is complete, and 91 is begun"


def test_modules_that_do_not_count_are_optional_and_a_list_without_any_or_with_an_unknown_one_is_refused(two_modules):
    path = two_modules.path("course.toml")
    text = path.read_text(encoding="utf-8")
    path.write_text(f'modules = ["92"]\n{text}', encoding="utf-8")
    assert "next: write add" in overview(two_modules)
    assert re.search(r"^91 .* optional$", two_modules.g2c("status").stdout, re.MULTILINE)
    for counted in [], ["92", "4"]:
        path.write_text(f"modules = {counted}\n{text}", encoding="utf-8")
        sentence = f"course.toml: the list `modules` is {counted}. It needs one or more of the IDs 91, 92."
        assert two_modules.g2c("status").stderr == f"small: {sentence}\n"
        assert two_modules.run("-m", "pytest").stderr == f"ERROR: {sentence}\n\n"


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("exit(0)", r"bpe\.py, line \d+ raised SystemExit: 0"),
        ("BPEBas", r"bpe\.py, line \d+ raised NameError: name 'BPEBas' is not defined"),
        ("while True: pass", r", line \d+: code that runs when .* within 1 s"),
    ],
)
def test_what_keeps_a_suite_from_loading_is_shown_in_short_and_a_loop_keeps_nobody_waiting(code, said, clone):
    clone.replace("coach/testing/plugin.py", "Limits(seconds=10,", "Limits(seconds=1,")
    clone.replace("g2c/tokenizer/bpe.py", "class BPETokenizer(", f"{code}\n\n\nclass BPETokenizer(")
    assert re.search(said, text := overview(clone)) and len(text.splitlines()) < 20 and "importlib" not in text, text


@pytest.mark.parametrize(("right", "step"), [(-1, "./noteboosh.sh 04"), (None, "g2c train")])
def test_the_notebook_is_the_next_step_until_all_of_its_answers_are_right(right, step, monkeypatch, tmp_path):
    names = list(answers_of(MODULE))[:right]
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path))
    monkeypatch.setattr(standing, "right_answers", lambda module: set(names))
    assert list(standing.steps_after(MODULE).values())[0].startswith(step)


def test_after_a_module_come_its_own_steps_and_where_the_watch_goes_on(monkeypatch):
    monkeypatch.setattr(standing, "is_complete", lambda module: module.id == "04a")
    monkeypatch.setattr(standing, "is_reached", lambda milestone: False)
    after = {name: str(standing.steps_after(modules()[name])) for name in ("04", "05", "04a")}
    for step, names in {"g2c generate": ["05"], "g2c train": ["04"], "go on with module 04,": [*after]}.items():
        assert [name for name, steps in after.items() if step in steps] == names, step


def test_results_of_the_answer_key_are_never_taken_for_the_students(two_modules):
    text = overview(two_modules, G2C_SOLUTIONS="91")
    assert bars(text) == {"91": "2 of 2"} and "code under test: the ANSWER KEY of module 91" in text
    assert "The answer key is in use for module 91 (G2C_SOLUTIONS=91): what you see there is not your own work." in text
    assert "next:" not in text and "teaches" not in text
    text = overview(two_modules)
    assert bars(text) == {"91": "0 of 2"} and "answer key" not in text
    done = two_modules.g2c(G2C_SOLUTIONS="93")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("small: ") and "names the module '93', which does not exist" in done.stderr


def test_a_lesson_is_shown_once_when_its_exercise_passes_and_again_only_after_it_failed(small_course):
    lesson = "✓ double now passes. \nWhat double teaches.\n"
    for body, shows in ((RIGHT["double"], True), (RIGHT["double"], False), ("return 3 * number", False)):
        small_course.write("double", body)
        assert (lesson in overview(small_course)) == shows, body
    text = overview(small_course, G2C_SOLUTIONS="all")
    assert "code under test: the ANSWER KEY (G2C_SOLUTIONS=all)" in text and "teaches" not in text
    small_course.write("double", RIGHT["double"])
    assert lesson in overview(small_course)


def test_a_file_saved_twice_within_a_second_is_tested_as_it_is(small_course):
    path = small_course.path("small/toys/doubling.py")
    small_course.write("double", "return 3 * number")
    first_time = path.stat().st_mtime_ns
    assert bars(overview(small_course)) == {"91": "0 of 2"}
    small_course.write("double", "return 2 * number")
    os.utime(path, ns=(first_time, first_time))
    assert bars(overview(small_course)) == {"91": "1 of 2"}


@pytest.mark.parametrize(
    ("double", "option"),
    [
        ("return 2 * number if number != 4 else 6", "-k=three"),
        ("return 2 * number if number != 4 else 6", "--deselect=tests/test_doubling.py::TestDouble::test_four"),
        ("raise KeyboardInterrupt", "-q"),
    ],
    ids=["chosen", "left out", "ends early"],
)
def test_a_part_of_a_suite_tells_nothing_about_an_exercise(double, option, small_course):
    small_course.write("halve", RIGHT["halve"])
    small_course.write("double", double)
    lines = small_course.run("-m", "pytest", "tests/test_doubling.py", option).stdout.splitlines()
    assert lines[-1] == "next: small watch" and "All tests of module 91 pass." not in lines
    assert bars(small_course.g2c("status").stdout) == {"91": "0 of 2"}


# --- g2c status -------------------------------------------------------------------------------------------------------


def test_status_says_what_the_last_run_showed_and_what_comes_next(small_course):
    small_course.write("double", RIGHT["double"])
    small_course.write("halve", "return 0")
    overview(small_course)
    shown = small_course.g2c("status").stdout
    assert re.findall(r"^    (.) (\w+) +(passes|fails|not started)$", shown, flags=re.MULTILINE) == [
        ("✓", "double", "passes"),
        ("✗", "halve", "fails"),
    ]
    assert "Your own code was tested, not the answer key." in shown
    assert shown.endswith("next: fix halve; `small` shows why\n")
    small_course.write("halve", RIGHT["halve"])
    assert "1 of 2 exercises  changed since its last test" in small_course.g2c("status").stdout


def test_status_runs_no_code_of_the_student(two_modules):
    two_modules.write("add", "open('was-run', 'w').close()")
    shown = two_modules.g2c("status").stdout
    assert [line.split()[0] for line in shown.splitlines()[1:4]] == ["91", "92", "?"]
    assert shown.endswith("next: small\n")
    assert not two_modules.path("was-run").exists()


def test_damaged_memory_counts_as_none_and_a_folder_that_cannot_be_written_is_no_obstacle(tmp_path, monkeypatch):
    monkeypatch.setattr("coach.common.paths.REPOSITORY", tmp_path)
    state.write("answers", one=[])
    assert state.read("answers") == {"one": []}
    for content in (b"{", b"\xff", b"null"):
        (tmp_path / ".g2c" / "answers.json").write_bytes(content)
        assert state.read("answers") == {}
    (tmp_path / ".g2c").rename(tmp_path / "moved")
    (tmp_path / ".g2c").write_text("a file where the folder should be")
    state.write("answers", one=[])
    assert state.read("answers") == {}
