"""`pytest tests/test_tokenizer.py`, as a student types it: one screen of 40 rows and 80 columns, the next step last."""

import re

import pytest

from coach.exercises import modules
from support.clones import QUICKLY, TODO, Clone, copy_course

ROWS, COLUMNS = 40, 80

WRAPS_AROUND = """\
for number in range(20):
    print("seen", number)
counts = {}
for i in range(len(ids)):
    pair = ids[i], ids[(i + 1) % len(ids)]
    counts[pair] = counts.get(pair, 0) + 1
return counts"""
KEY_ERROR = """\
counts = {}
for pair in zip(ids, ids[1:]):
    counts[pair] += 1
return counts"""


def run_pytest(clone: Clone, *options: str, **variables: str) -> list[str]:
    """The lines that pytest prints about the suite of module 04, without colors."""
    return clone.run("-m", "pytest", *QUICKLY, *options, COLUMNS=str(COLUMNS), **variables).stdout.splitlines()


def assert_one_screen(lines: list[str]) -> None:
    # The line with the command and the prompt after the run are on the same screen.
    assert len(lines) <= ROWS - 2, "\n".join(lines)
    assert max(map(len, lines)) <= COLUMNS, max(lines, key=len)
    assert lines[-1].startswith("next: "), lines[-1]


def test_on_the_untouched_file_it_says_what_to_write(clone):
    lines = run_pytest(clone, "tests/test_tokenizer.py")
    assert_one_screen(lines)
    groups = dict(re.findall(r"^  (Test\w+) +(\d+ of +\d+)$", "\n".join(lines), flags=re.MULTILINE))
    assert list(groups) == list(modules()["04"].groups)
    assert groups["TestConstruction"] == "11 of  11" and groups["TestMerge"] == "0 of  17"
    assert sum("is not written yet" in line for line in lines) == 1
    assert re.fullmatch(r"next: write _get_pair_counts, in g2c/tokenizer/bpe\.py, line \d+", lines[-1])


def test_after_a_slip_it_shows_the_first_failure_in_full(clone):
    clone.write("_get_pair_counts", WRAPS_AROUND)
    lines = run_pytest(clone, "tests/test_tokenizer.py", "-k", "TestPairCounts or TestMerge")
    assert_one_screen(lines)
    assert "FAILED tests/test_tokenizer.py::TestPairCounts::test_four_ids_have_three_pairs" in lines
    assert "Expected:   {(1, 2): 1, (2, 3): 1, (3, 4): 1}" in lines
    assert sum(line.startswith("Called:") for line in lines) == 1
    assert "            it begins no pair: stop one ID earlier." in lines, "a wrapped line keeps its column"
    assert "Printed:    seen 0" in lines
    assert "            … lines left out: 15; pytest -v shows them" in lines
    assert lines[-1].startswith("next: fix _get_pair_counts; for a hint: g2c hint ")


def test_when_a_call_does_not_return_groups_end_at_their_first_failure(clone):
    """Otherwise, every test that merges would wait for the same loop."""
    clone.write("_merge", "if new_id:\n    while True: pass\nreturn ids")
    lines = run_pytest(clone, "tests/test_tokenizer.py", "-k", "TestMerge")
    assert_one_screen(lines)
    assert any(line.startswith("Mistake:    _merge never returns.") for line in lines)
    assert "16 tests were skipped, because each call that does not return takes time." in lines


def test_the_hint_is_for_the_exercise_of_the_suite_that_ran(course_template, tmp_path):
    """Module 04 has a group TestPairCounts too."""
    clone = copy_course(course_template, tmp_path / "clone", module_ids=["04", "04b"])
    clone.replace("g2c/tokenizer/word_bpe.py", TODO.format("_get_pair_counts"), "return {}")
    lines = run_pytest(clone, "tests/test_word_bpe.py::TestPairCounts")
    assert lines[-1] == "next: fix _get_pair_counts; for a hint: g2c hint WordBPETokenizer._get_pair_counts"


def test_after_an_exception_the_own_code_comes_first_and_the_report_last(clone):
    clone.write("_get_pair_counts", KEY_ERROR)
    text = "\n".join(run_pytest(clone, "tests/test_tokenizer.py::TestPairCounts", "-v"))
    code, called, report = text.partition("Called:     tokenizer._get_pair_counts([1, 2, 3, 4])")
    assert called and "counts[pair] += 1" in code and "Count how often each pair" not in text, "no docstring"
    assert report.split("\n____")[0].splitlines()[-1].startswith("Idea:")


def test_a_call_of_a_later_exercise_is_not_needed(clone):
    clone.write("train_step", "self.decode(ids)")
    lines = run_pytest(clone, "tests/test_tokenizer.py::TestTrainStep")
    said = r"train_step calls decode, which it does not need: g2c/tokenizer/bpe\.py, line \d+"
    assert re.match(said, lines[-4]) and lines[-1] == "next: fix train_step; for a hint: g2c hint train_step", lines


def test_on_a_server_every_failure_is_printed(clone):
    lines = run_pytest(clone, "tests/test_tokenizer.py::TestPairCounts", CI="true")
    assert sum("_get_pair_counts is not written yet" in line for line in lines) > 10
    assert lines[-1].startswith("next: write _get_pair_counts")


@pytest.mark.whole
def test_with_the_answer_key_and_with_other_tests_pytest_prints_what_it_always_prints(clone):
    lines = run_pytest(clone, "tests/test_tokenizer.py::TestPairCounts", "--solutions")
    assert any(line.startswith("tests/test_tokenizer.py ...") for line in lines)
    clone.path("tests/test_other.py").write_text("def test_other():\n    assert 1 == 2\n", encoding="utf-8")
    lines = run_pytest(clone, "tests/test_other.py", "tests/test_tokenizer.py::TestPairCounts")
    assert any("assert 1 == 2" in line for line in lines)
    assert sum("_get_pair_counts is not written yet" in line for line in lines) > 10


REVERSED_AND_TRACED = """
import sys
def pytest_collection_modifyitems(items): items.reverse()
def pytest_runtest_call(): sys.settrace(lambda *_: None)
"""
OTHER_REPORTER = """
import pytest
from _pytest.terminal import TerminalReporter
class Other(TerminalReporter): pass
@pytest.hookimpl(trylast=True)
def pytest_configure(config):
    config.pluginmanager.unregister(name="terminalreporter")
    config.pluginmanager.register(Other(config), "terminalreporter")
"""


@pytest.mark.parametrize(
    ("conftest", "options"),
    [
        pytest.param("", ["-p", "xdist", "-n", "2"], marks=pytest.mark.whole),
        ("def pytest_collection_modifyitems(items): items.sort(key=lambda item: item.name)", []),
        (OTHER_REPORTER, []),
        (REVERSED_AND_TRACED, ["-s", "-q", "-p", "no:pytest_timeout"]),
    ],
    ids=["xdist", "groups mixed", "another reporter", "reversed, coverage, quiet, no autoload"],
)
def test_with_plugins_and_options_that_students_use_the_first_exercise_is_next(conftest, options, two_modules):
    two_modules.write("double", "return number")
    two_modules.path("conftest.py").write_text(conftest, encoding="utf-8")
    done = two_modules.run("-m", "pytest", *QUICKLY, *options, "tests/test_doubling.py", "--course-report=r.jsonl")
    lines = done.stdout.splitlines()
    assert done.returncode == 1 and "INTERNALERROR" not in done.stdout, done.stdout
    assert any(line.endswith("double(3) is 6: 3 + 3") for line in lines), "what fails first, in the order of the suite"
    assert lines[-1] == "next: fix double; for a hint: small hint double"
    assert sum(line.endswith("code under test: your own, in small/toys") for line in lines) == 1
    records = two_modules.path("r.jsonl").read_text(encoding="utf-8")
    assert records.count('"outcome"') == 6 and "halve is not written yet: small/toys/doubling.py" in records


def test_a_test_class_of_unittest_has_the_same_reports(two_modules):
    two_modules.replace("tests/test_doubling.py", "import pytest", "import unittest\n\nimport pytest")
    two_modules.replace("tests/test_doubling.py", "class TestDouble:", "class TestDouble(unittest.TestCase):")
    done = two_modules.run("-m", "pytest", *QUICKLY, "tests/test_doubling.py")
    assert "\ndouble is not written yet: small/toys/doubling.py, line 3\n" in done.stdout
    assert done.stdout.splitlines()[-1] == "next: write double, in small/toys/doubling.py, line 3"
