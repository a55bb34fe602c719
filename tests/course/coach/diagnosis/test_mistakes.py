"""The mistake bank: wrong solutions that students write, each of them caught and named by the suite.

docs/instructors.md describes the form of mistakes/MODULE/EXERCISE.py. tests/course/right/ holds the opposite: right
solutions unlike the answer key, which have to pass.
"""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from coach.diagnosis import bank
from coach.exercises import modules
from coach.testing.record import TestRecord, read_as
from support.submissions import runner

HERE = Path(__file__).resolve().parents[2]
MISTAKES = [entry for module_id in modules() for entry in bank.entries(module_id)]
RIGHT = sorted((HERE / "right").glob("*/*.py"))
LINES = 9


@pytest.fixture(scope="module")
def tests_until_the_first_failure() -> Iterator[Callable[[str], list[dict]]]:
    with runner("--first") as ask:
        yield ask


@pytest.mark.parametrize(
    "entry",
    [pytest.param(entry, marks=pytest.mark.whole if place % 30 else ()) for place, entry in enumerate(MISTAKES)],
    ids=lambda entry: f"{entry.exercise.module_id}/{entry.name}",
)
def test_the_suite_catches(entry, tests_until_the_first_failure):
    tests = tests_until_the_first_failure(f"{entry.exercise.module_id}/{entry.name}")
    assert isinstance(tests, list), tests
    assert tests[-1]["outcome"] == "failed", f"the whole suite passes: nothing catches {entry.mistake.name!r}"
    message = str(read_as(TestRecord, tests[-1]).report).split("\n\n")[0]
    lines = message.splitlines()
    assert entry.mistake.name in next((line for line in lines if line.startswith("Mistake:")), ""), message
    assert lines[-1].endswith(f"{entry.exercise.module.pitfalls}#pitfall-{entry.mistake.pitfall}"), message
    assert tests[-1]["test"].split("::")[1] == entry.caught_by, message
    assert len(lines) <= LINES, message


@pytest.fixture(scope="module")
def every_test() -> Iterator[Callable[[str], list[dict]]]:
    with runner() as ask:
        yield ask


@pytest.mark.whole
@pytest.mark.parametrize("path", RIGHT, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_a_right_solution_of_another_kind_passes(path, every_test):
    tests = every_test(str(path))
    failed = [f"{test['test']}\n{test['report']}" for test in tests if test["outcome"] != "passed"]
    assert tests and not failed, failed[:1]
