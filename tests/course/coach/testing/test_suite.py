"""The student suites keep their promises: on the stubs, with the answer key, and half-way between."""

import json
import re
from functools import partial

import pytest

from coach.common.paths import REPOSITORY
from coach.exercises import modules
from support.clones import QUICKLY, Clone, copy_course, write_answers

MODULES = list(modules().values())
by_module = pytest.mark.parametrize("module", MODULES, ids=lambda module: module.id)
COURSE = Clone(REPOSITORY)


class PytestRun:
    """Student suites, or some of their groups, run as a student runs them.

    `tests` has a record of `--course-report` for each test.
    """

    def __init__(self, tests: list[str], folder, course=COURSE, **variables: str) -> None:
        report = folder / "report.jsonl"
        done = course.run("-m", "pytest", *QUICKLY, *tests, f"--course-report={report}", **variables)
        self.output = done.stdout
        lines = report.read_text(encoding="utf-8").splitlines() if report.exists() else []
        self.tests = [record for record in map(json.loads, lines) if "test" in record]

    def of(self, module) -> list[dict]:
        """The tests of one module's suite."""
        return [test for test in self.tests if test["test"].startswith(f"{module.suite}::")]


@pytest.fixture(scope="module")
def run_on_stubs(tmp_path_factory) -> PytestRun:
    """All suites on the exercise files as they are handed out, that of module 04 first."""
    suites = sorted((module.suite for module in MODULES), key=lambda suite: suite != modules()["04"].suite)
    return PytestRun(suites, tmp_path_factory.mktemp("stubs"))


# --- on the stubs -----------------------------------------------------------------------------------------------------


@by_module
def test_on_the_stubs_tests_fail_because_something_is_not_written_and_in_one_plain_line(module, run_on_stubs):
    tests = run_on_stubs.of(module)
    failed = [test for test in tests if test["outcome"] == "failed"]
    passed = [test for test in tests if test["outcome"] == "passed"]
    assert {test["error"] for test in failed} == {"NotImplementedError"}
    assert len(tests) == len(failed) + len(passed)
    assert 0.6 < len(failed) / len(tests) < 0.9, "most tests fail, and some pass"
    for page in (module.handout, *(["README.md"] if module.id == "04" else [])):
        assert first_counts(page) == f"{len(failed)} failed, {len(passed)} passed", page
    for exercise in module.exercises:
        of_it = [test for test in failed if group_of(test) in exercise.groups]
        assert of_it, f"no test of {', '.join(exercise.groups)} needs {exercise.name}"
    file = module.exercise_file.relative_to(REPOSITORY).as_posix()
    lines = module.exercise_file.read_text(encoding="utf-8").splitlines()
    for test in failed:
        function, line = test["place"]["function"], test["place"]["line"]
        assert test["report"]["message"] == f"{function} is not written yet: {file}, line {line}"
        assert f'"TODO: {function}"' in lines[line - 1]


def first_counts(name: str) -> str | None:
    match = re.search(r"\d+ failed, \d+ passed", (REPOSITORY / name).read_text(encoding="utf-8"))
    return match and match[0]


def group_of(test: dict) -> str:
    return test["test"].split("::")[1]


# --- half-way ---------------------------------------------------------------------------------------------------------


NEEDED = {needed for module in MODULES for needed in module.needs}


@pytest.mark.whole
@pytest.mark.parametrize("share", [NEEDED, {*modules()} - NEEDED], ids=["needed by others", "the others"])
def test_a_group_needs_only_its_exercise_and_those_above(share, course_template, tmp_path):
    """With the answers written one by one, their groups pass; the next fail only because something is not written."""
    clone = copy_course(course_template, tmp_path / "clone")
    # The modules that others need are the answer key's while these are half done.
    keys = ",".join({*modules()} - share)
    half_done = [module for module in MODULES if module.id in share]
    for step in range(max(len(module.exercises) for module in half_done)):
        ready, wanted = {}, []
        for module in half_done:
            exercises = module.exercises[step : step + 2]
            write_answers(clone, exercises[:1])
            ready[module.id] = {group for exercise in exercises[:1] for group in exercise.groups}
            if len(exercises) == 1:
                ready[module.id] |= {*module.given, *module.together}
            following = {group for exercise in exercises[1:] for group in exercise.groups}
            wanted += [f"{module.suite}::{group}" for group in module.groups if group in ready[module.id] | following]
        run = PytestRun(wanted, tmp_path, course=clone, G2C_SOLUTIONS=keys)
        assert {"::".join(test["test"].split("::")[:2]) for test in run.tests} == set(wanted), run.output[-3000:]
        for module in half_done:
            for test in run.of(module):
                if group_of(test) in ready[module.id]:
                    assert test["outcome"] == "passed", f"with {step + 1} answers of {module.id}: {test['report']}"
                elif test["outcome"] == "failed":
                    assert test["error"] == "NotImplementedError", test["report"]


# --- which tests ------------------------------------------------------------------------------------------------------


def test_pytest_collects_the_student_suites_and_the_course_its_own_tests_only_by_name(clone):
    code = "import os, sys, pytest; os.chdir(sys.argv[1]); sys.exit(pytest.main(sys.argv[2:]))"
    collect = partial(clone.python, code)
    # Assertions of all suites take long to rewrite, and none is run.
    options = ["--co", "-q", "--assert=plain", *QUICKLY]
    own = clone.path("tests/course/coach/test_own.py")
    own.parent.mkdir(parents=True)
    own.write_text("def test_own(): pass", encoding="utf-8")
    as_an_editor = "..", "--rootdir=.", f"{clone.folder}/tests"
    for folder, *arguments in (".",), (".", "tests"), ("notebooks", "../tests"), as_an_editor:
        listed = collect(folder, *options, *arguments)
        assert "test_tokenizer.py::TestMerge::" in listed and "test_own" not in listed, (folder, arguments)
    assert "test_own" in collect(".", *options, "tests/course")
