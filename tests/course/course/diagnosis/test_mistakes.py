"""The mistake bank: wrong solutions that students write, each of them caught and named by the suite.

docs/instructors.md describes the form of mistakes/MODULE/EXERCISE.py. tests/course/right/ holds the opposite: right
solutions unlike the answer key, which have to pass.
"""

import inspect
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

from g2c.course.diagnosis import bank
from g2c.course.exercises import all_exercises, modules
from g2c.course.testing.record import TestRecord, read_as
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
    [
        pytest.param(
            entry, id=f"{entry.exercise.module_id}/{entry.name}", marks=pytest.mark.whole if place % 30 else ()
        )
        for place, entry in enumerate(MISTAKES)
    ],
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


# --- options that are ignored -----------------------------------------------------------------------------------------

IGNORES_A_PARAMETER = """
import functools, inspect
from g2c.solutions.{file} import {public} as Key

function = {function}

@functools.wraps(function)
def ignoring(*args, **kwargs):
    bound = inspect.signature(function).bind(*args, **kwargs)
    bound.arguments.pop({name!r}, None)
    return function(*bound.args, **bound.kwargs)

{public} = {solution}
"""

IGNORES_AN_OPTION = """
import functools
from g2c.solutions.{file} import {public} as Key

def ignoring(function):
    @functools.wraps(function)
    def wrapped(self, *args, **kwargs):
        value, self.{name} = self.{name}, {default!r}
        try:
            return function(self, *args, **kwargs)
        finally:
            self.{name} = value
    return wrapped

{public} = type(Key.__name__, (Key,), {{name: ignoring(getattr(Key, name)) for name in {methods!r}}})
"""


def ignoring() -> Iterator[pytest.param]:
    """For each parameter that has a default, a solution that ignores it; the same for each option of a constructor."""
    options = {}
    for exercise in all_exercises():
        module = modules()[exercise.module_id]
        public = exercise.class_name or exercise.name
        written = getattr(import_module(f"{module.package}.{module.file}"), public)
        names = {
            "file": module.file,
            "public": public,
            "function": f"Key.{exercise.name}" if exercise.class_name else "Key",
        }
        solution = f"type(Key.__name__, (Key,), {{{exercise.name!r}: ignoring}})" if exercise.class_name else "ignoring"
        function = getattr(written, exercise.name) if exercise.class_name else written
        for name in defaults(function):
            code = IGNORES_A_PARAMETER.format(**names, name=name, solution=solution)
            yield pytest.param(module, code, exercise.groups, id=f"{exercise.short_name} {name}")
        # WordTokenizer has the constructor of CharTokenizer, whose options are tested there.
        inherits = any(base.__name__ in module.public_names for base in getattr(written, "__mro__", ())[1:])
        for name, default in defaults(written).items() if exercise.class_name and not inherits else ():
            if hasattr(written(), name):
                options.setdefault((module, public, name), (default, []))[1].append(exercise)
    for (module, public, name), (default, exercises) in options.items():
        methods = [exercise.name for exercise in exercises]
        code = IGNORES_AN_OPTION.format(file=module.file, public=public, name=name, default=default, methods=methods)
        groups = [group for exercise in exercises for group in exercise.groups]
        yield pytest.param(module, code, groups, id=f"{public} {name}")


def defaults(function: Callable) -> dict:
    parameters = inspect.signature(function).parameters.values()
    return {one.name: one.default for one in parameters if one.default is not inspect.Parameter.empty}


@pytest.mark.whole
@pytest.mark.parametrize(("module", "code", "groups"), list(ignoring()))
def test_a_solution_that_ignores_an_option_fails(module, code, groups, tests_until_the_first_failure, tmp_path):
    path = tmp_path / module.id / "ignores.py"
    path.parent.mkdir()
    path.write_text(code, encoding="utf-8")
    tests = tests_until_the_first_failure(str(path))
    assert isinstance(tests, list), tests
    assert tests[-1]["outcome"] == "failed", "the whole suite passes"
    assert tests[-1]["test"].split("::")[1] in groups, "it is found late: with other exercises, not with its own"


# --- right solutions --------------------------------------------------------------------------------------------------


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
