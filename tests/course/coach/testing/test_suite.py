"""The student suites keep their promises: on the stubs, with the answer key, and half-way between."""

import json
import re
from itertools import groupby

import pytest

from coach.common.paths import REPOSITORY
from coach.exercises import modules
from support.clones import QUICKLY, Clone, copy_course, write_answers

MODULES = list(modules().values())
by_module = pytest.mark.parametrize("module", MODULES, ids=lambda module: module.id)
COURSE = Clone(REPOSITORY)


def records(tests: list[str], folder, course=COURSE, **variables: str) -> dict[str, list[dict]]:
    """Suite -> a record of `--course-report` for each test, of suites or groups that run as a student runs them."""
    report = folder / "report.jsonl"
    done = course.run("-m", "pytest", *QUICKLY, *tests, f"--course-report={report}", **variables)
    found = [record for record in map(json.loads, report.read_text("utf-8").splitlines()) if "test" in record]
    left_out = [test for test in tests if not any(record["test"].startswith(f"{test}::") for record in found)]
    assert left_out == [], done.stdout[-3000:]
    return {suite: [*of_it] for suite, of_it in groupby(found, key=lambda record: record["test"].split("::")[0])}


@pytest.fixture(scope="module")
def on_stubs(tmp_path_factory) -> dict[str, list[dict]]:
    """All suites on the exercise files as they are handed out."""
    return records([module.suite for module in MODULES], tmp_path_factory.mktemp("stubs"))


# --- on the stubs -----------------------------------------------------------------------------------------------------


@by_module
def test_on_the_stubs_tests_fail_because_something_is_not_written_and_in_one_plain_line(module, on_stubs):
    tests = on_stubs[module.suite]
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
        ran = records(wanted, tmp_path, clone, G2C_SOLUTIONS=keys)
        for module in half_done:
            for test in ran.get(module.suite, ()):
                if group_of(test) in ready[module.id]:
                    assert test["outcome"] == "passed", f"with {step + 1} answers of {module.id}: {test['report']}"
                elif test["outcome"] == "failed":
                    assert test["error"] == "NotImplementedError", test["report"]


# --- which tests ------------------------------------------------------------------------------------------------------


def test_pytest_collects_the_student_suites_and_the_course_its_own_tests_only_by_name(clone):
    # Assertions of all suites take long to rewrite, and none is run.
    options = ["--co", "-q", "--assert=plain", *QUICKLY]
    code = f"import os, sys, pytest; os.chdir(sys.argv[1]); sys.exit(pytest.main({options} + sys.argv[2:]))"
    own = clone.path("tests/course/coach/test_own.py")
    own.parent.mkdir(parents=True)
    own.write_text("def test_own(): pass", encoding="utf-8")
    as_an_editor = "..", "--rootdir=.", f"{clone.folder}/tests"
    for folder, *arguments in (".",), (".", "tests"), ("notebooks", "../tests"), as_an_editor:
        listed = clone.python(code, folder, *arguments)
        assert "test_tokenizer.py::TestMerge::" in listed and "test_own" not in listed, (folder, arguments)
    assert "test_own" in clone.python(code, ".", "tests/course")
