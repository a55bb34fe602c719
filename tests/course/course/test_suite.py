"""The student suites keep their promises: on the stubs, with the answer key, and half-way between."""

import ast
import builtins
import json
import os
import re
import subprocess
import symtable
import sys
from dataclasses import dataclass

import pytest

from g2c.common.paths import REPOSITORY
from g2c.course.exercises import modules
from g2c.course.source import find_function
from support.clones import copy_course, write_answers
from support.submissions import busy

MODULES = list(modules().values())
by_module = pytest.mark.parametrize("module", MODULES, ids=lambda module: module.id)
pytestmark = pytest.mark.timeout(120)
QUICKLY = ("--disable-plugin-autoload", "-p", "pytest_timeout")
"""Of the installed plugins, a suite needs this one alone. Importing the others takes as long as its tests."""


def is_untouched(module) -> bool:
    tree = ast.parse(module.exercise_file.read_text(encoding="utf-8"))
    todos = [node for node in ast.walk(tree) if isinstance(node, ast.Raise) and "TODO: " in ast.unparse(node)]
    return len(todos) == len(module.exercises)


@dataclass
class Outcomes:
    """What came of the tests of a suite: one record of `--course-report` for each."""

    tests: list[dict]

    def outcomes(self, outcome: str) -> list[dict]:
        return [test for test in self.tests if test["outcome"] == outcome]

    @property
    def counts(self) -> str:
        return f"{len(self.outcomes('failed'))} failed, {len(self.outcomes('passed'))} passed"


class SuiteRun(Outcomes):
    """Student suites, or some of their groups, run as a student runs them."""

    def __init__(self, tests: list[str], folder, *options: str, course=REPOSITORY, **variables: str) -> None:
        report = folder / "report.jsonl"
        command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *tests, f"--course-report={report}"]
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("G2C_", "PYTEST_"))}
        done = subprocess.run(
            [*command, *options], cwd=course, env={**kept, **variables}, capture_output=True, text=True, timeout=120
        )
        self.code = done.returncode
        self.output = done.stdout
        self.errors = done.stderr
        records = (
            [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()] if report.exists() else []
        )
        super().__init__([record for record in records if "test" in record])

    def of(self, module) -> Outcomes:
        """The part of one module's suite."""
        return Outcomes([test for test in self.tests if test["test"].startswith(f"{module.suite}::")])


@pytest.fixture(scope="module")
def run_on_stubs(tmp_path_factory) -> SuiteRun:
    """All suites on the exercise files as they are handed out, that of module 04 first."""
    touched = [module.id for module in MODULES if not is_untouched(module)]
    if touched:
        pytest.skip(f"the exercise file of module {', '.join(touched)} has been worked on")
    suites = sorted((module.suite for module in MODULES), key=lambda suite: suite != modules()["04"].suite)
    return SuiteRun(suites, tmp_path_factory.mktemp("stubs"), *QUICKLY)


@pytest.fixture(scope="module")
def on_stubs(run_on_stubs) -> dict[str, Outcomes]:
    """Module ID -> what came of its suite."""
    return {module.id: run_on_stubs.of(module) for module in MODULES}


@pytest.fixture(scope="module")
def with_key(tmp_path_factory):
    """Module ID -> the run of its suite with the answer key."""
    return {module.id: SuiteRun([module.suite], tmp_path_factory.mktemp("key"), "--solutions") for module in MODULES}


# --- on the stubs -----------------------------------------------------------------------------------------------------


@by_module
def test_on_the_stubs_every_failure_is_a_not_implemented_error(module, on_stubs):
    others = [test for test in on_stubs[module.id].outcomes("failed") if test["error"] != "NotImplementedError"]
    assert others == []


@by_module
def test_on_the_stubs_every_other_test_passes(module, on_stubs):
    found = on_stubs[module.id]
    assert found.tests and len(found.tests) == len(found.outcomes("failed")) + len(found.outcomes("passed"))


@by_module
def test_on_the_stubs_most_tests_fail_and_some_pass(module, on_stubs):
    found = on_stubs[module.id]
    assert 0.6 < len(found.outcomes("failed")) / len(found.tests) < 0.9


def test_the_suite_of_module_04_is_large_enough(on_stubs):
    assert len(on_stubs["04"].tests) >= 80


@by_module
def test_the_handout_gives_the_counts(module, on_stubs):
    assert first_counts(module.handout) == on_stubs[module.id].counts


def test_the_readme_gives_the_counts_of_module_04(on_stubs):
    assert first_counts("README.md") == on_stubs["04"].counts


def first_counts(name: str) -> str | None:
    match = re.search(r"\d+ failed, \d+ passed", (REPOSITORY / name).read_text(encoding="utf-8"))
    return match and match[0]


@by_module
def test_every_exercise_has_tests_of_its_own(module, on_stubs):
    for exercise in module.exercises:
        of_it = [test for test in on_stubs[module.id].outcomes("failed") if group_of(test) in exercise.groups]
        assert of_it, f"no test of {', '.join(exercise.groups)} needs {exercise.name}"


@by_module
def test_a_stub_is_reported_in_one_plain_line(module, on_stubs):
    file = module.exercise_file.relative_to(REPOSITORY).as_posix()
    pattern = re.compile(rf"(\w+) is not written yet: {re.escape(file)}, line (\d+)")
    lines = module.exercise_file.read_text(encoding="utf-8").splitlines()
    for test in on_stubs[module.id].outcomes("failed"):
        match = pattern.fullmatch(test["message"].strip())
        assert match, test["message"]
        assert f'"TODO: {match[1]}"' in lines[int(match[2]) - 1]


def group_of(test: dict) -> str:
    return test["test"].split("::")[1]


# --- with the answer key ----------------------------------------------------------------------------------------------


@pytest.mark.whole
@by_module
def test_with_the_key_everything_passes(module, with_key):
    run_with_key = with_key[module.id]
    assert run_with_key.code == 0, run_with_key.output[-3000:]
    assert run_with_key.tests and len(run_with_key.outcomes("passed")) == len(run_with_key.tests)


@pytest.mark.whole
@by_module
def test_no_test_of_a_green_run_takes_long(module, with_key):
    # Far below the limits, so that a student's slower code or machine has room.
    slow = [(test["test"], test["seconds"]) for test in with_key[module.id].tests if test["seconds"] > 1.5 * busy()]
    assert slow == []


# --- half-way ---------------------------------------------------------------------------------------------------------


@pytest.mark.whole
@by_module
def test_a_group_needs_only_its_exercise_and_those_above(module, course_template, tmp_path):
    """With the answers written one by one, their groups pass; the others fail only because something is not written."""
    clone = copy_course(course_template, tmp_path / "clone")
    variables = {
        "PYTHONPATH": str(clone.folder),
        "G2C_SOLUTIONS": ",".join(other.id for other in MODULES if other is not module),
    }
    left = list(module.groups)
    ready = set(module.given)
    for exercise in module.exercises:
        write_answers(clone, [exercise])
        ready |= set(exercise.groups if exercise is not module.exercises[-1] else left)
        groups = [f"{module.suite}::{group}" for group in left]
        half_way = SuiteRun(groups, tmp_path, *QUICKLY, course=clone.folder, **variables)
        assert {group_of(test) for test in half_way.tests} == set(left), half_way.output[-3000:]
        for test in half_way.tests:
            if group_of(test) in ready:
                assert test["outcome"] == "passed", f"with the answers up to {exercise.name}: {test['message']}"
            elif test["outcome"] == "failed":
                assert test["error"] == "NotImplementedError", test["message"]
        left = [group for group in left if group not in ready]


# --- whose code -------------------------------------------------------------------------------------------------------


def quick_run(tmp_path, *options: str, **variables: str) -> SuiteRun:
    return SuiteRun([modules()["04"].suite], tmp_path, "-k", "two_tokenizers_share_nothing", *options, **variables)


def test_header_and_footer_say_that_it_is_the_students_code(tmp_path):
    assert quick_run(tmp_path).output.count("code under test: your own, in g2c/tokenizer") == 2


@pytest.mark.whole
def test_header_and_footer_say_that_it_is_the_answer_key(tmp_path):
    assert quick_run(tmp_path, "--solutions").output.count("code under test: the ANSWER KEY (G2C_SOLUTIONS=all)") == 2


@pytest.mark.whole
def test_a_quiet_run_with_the_key_of_one_module_says_it_too(tmp_path):
    assert quick_run(tmp_path, "-q", G2C_SOLUTIONS="04").output.count("code under test: the ANSWER KEY") == 1


def test_a_module_that_does_not_exist_is_named(tmp_path):
    done = quick_run(tmp_path, G2C_SOLUTIONS="99")
    assert done.code == pytest.ExitCode.USAGE_ERROR
    assert "99" in done.errors and "does not exist" in done.errors


def test_the_footer_says_what_to_write_next(run_on_stubs):
    output = run_on_stubs.output
    assert "not written yet: _get_pair_counts, _merge, train_step, encode, decode" in output
    assert re.search(r"next: write _get_pair_counts, in g2c/tokenizer/bpe\.py, line \d+", output)


# --- the key in the student's file ------------------------------------------------------------------------------------


@by_module
def test_what_solution_shows_runs_when_it_is_pasted_into_the_exercise_file(module, course_template, tmp_path):
    """The bodies alone, without an import of the key's own: every name in them is known in the exercise file."""
    clone = copy_course(course_template, tmp_path / "clone")
    path = clone.path(module.exercise_path)
    for exercise in module.exercises:
        answer = find_function(module.key_file, exercise).code.split("\n", 1)[1]
        indent = "        " if exercise.class_name else "    "
        clone.replace(module.exercise_path, f'{indent}raise NotImplementedError("TODO: {exercise.name}")', answer)
    tree = symtable.symtable(path.read_text(encoding="utf-8"), str(path), "exec")
    known = {symbol.get_name() for symbol in tree.get_symbols()} | set(vars(builtins)) | {"__class__"}
    assert {name for name in global_names(tree) if name not in known} == set()


def global_names(table: symtable.SymbolTable) -> set[str]:
    """The global names that the functions of a file use."""
    names = {symbol.get_name() for symbol in table.get_symbols() if symbol.is_global() and symbol.is_referenced()}
    return names.union(*map(global_names, table.get_children()))
