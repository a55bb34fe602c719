"""Knows which tests have points: the list tests/points.json, which a release carries.

    python -m coach.grading.session [MODULE ...]

writes the list anew, after a suite has changed. Tests that pass on the untouched exercise file, or on a file whose
functions all return 1 or an empty value, are free: they have no points of their own.
"""

import ast
import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from coach.common.course_file import PROGRAM
from coach.common.errors import CourseError
from coach.common.files import write_file
from coach.common.paths import REPOSITORY
from coach.exercises import Module, modules
from coach.grading.records import Run, passed
from coach.source import functions, parsed
from coach.testing.record import group_of

POINTS = REPOSITORY / "tests" / "points.json"
EMPTY = {"dict": "{}", "list": "[]", "tuple": "()", "str": "''", "int": "0", "bytes": "b''"}
"""Type in the annotation of a result -> its empty value. For other types, and unions, it is None."""


@dataclass(frozen=True)
class CountedTest:
    """Says how a test counts."""

    node: str
    core: bool = False
    free: bool = False
    points: float | None = None
    """For hidden tests: the points that the marker `points` gives it, or gives the class whose tests share them."""
    shared_by: str = ""
    """The node with that marker."""


def listed_tests(module: Module) -> list[CountedTest]:
    """Read the list of a module's tests. CourseError: the suite has changed since the list was written."""
    lists: dict[str, Any] = json.loads(POINTS.read_text(encoding="utf-8")) if POINTS.is_file() else {}
    found = lists.get(module.id, {"suite": "", "tests": {}})
    if found["suite"] != _digest(module):
        raise CourseError(
            f"tests/points.json, which says which tests have points, is older than {module.suite}. "
            f"Write the list anew: python -m coach.grading.session {module.id}"
        )
    return [
        CountedTest(f"{module.suite}::{name}", core=kind == "core", free=kind == "free")
        for name, kind in found["tests"].items()
    ]


def write_list(written: Iterable[Module], tests: Iterable[CountedTest]) -> None:
    """Write the list of the tests of these modules. CourseError: a group has points that no test can earn."""
    lists: dict[str, Any] = json.loads(POINTS.read_text(encoding="utf-8")) if POINTS.is_file() else {}
    for module in written:
        own = [test for test in tests if test.node.startswith(f"{module.suite}::")]
        kinds = {test.node.split("::", 1)[1]: "free" if test.free else "core" if test.core else "" for test in own}
        earning = {group_of(test.node) for test in own if not test.free}
        for group in sorted({*module.groups} - {*module.given} - earning):
            raise CourseError(
                f"course.toml, module {module.id}, test group {group}: each of its tests passes without a right "
                "solution or is not graded, so nobody could earn its points. Let one of them expect a written value."
            )
        lists[module.id] = {"suite": _digest(module), "tests": kinds}
    in_order = {module_id: lists[module_id] for module_id in modules() if module_id in lists}
    write_file(POINTS, [json.dumps(in_order, indent=1).encode() + b"\n"])


def counted_tests(untouched: Run, constants: Iterable[Run]) -> list[CountedTest]:
    """Return the tests that a run on the untouched files has collected, and which of them are free.

    CourseError: some could not be run.
    """
    for record in untouched.not_loaded:
        raise CourseError(f"{record.test} cannot be run:\n{record}")
    if not untouched.finished:
        raise CourseError(f"The tests did not finish on the untouched exercise files. Run `{PROGRAM} doctor`.")
    # A test that is skipped here, for instance because a corpus is missing, is skipped for every student.
    skipped = {record.test for record in untouched.tests if record.outcome == "skipped"}
    free = set().union(*(passed(run.tests) for run in (untouched, *constants)))
    return [
        CountedTest(one.collected, one.core, one.collected in free, one.points, one.shared_by)
        for one in untouched.collected
        if one.collected not in skipped
    ]


def _digest(module: Module) -> str:
    return hashlib.sha256(module.suite_file.read_bytes()).hexdigest()


# --- files that solve nothing -----------------------------------------------------------------------------------------


def constant_files(module_ids: Iterable[str]) -> list[dict[str, bytes]]:
    """Make two submissions that solve nothing: one returns 1 everywhere, the other an empty value of the right type.

    >>> [sorted(files) for files in constant_files(["04", "04c"])]
    [['batching', 'bpe'], ['batching', 'bpe']]
    """
    chosen = [modules()[module_id] for module_id in module_ids]
    return [{module.file: _with_bodies(module, body) for module in chosen} for body in ("return 1", "return {empty}")]


def untouched_file(module: Module) -> bytes:
    """Return the exercise file without a solution, even if somebody has solved exercises in this checkout."""
    return _with_bodies(module, "raise NotImplementedError('TODO: {name}')")


def _with_bodies(module: Module, body: str) -> bytes:
    """Return the exercise file with this code for every exercise, with its {name} and an {empty} value of its type."""
    tree = parsed(module.exercise_file)
    for exercise in module.exercises:
        function = functions(tree)[exercise.qualified_name]
        returned = function.returns.value if isinstance(function.returns, ast.Subscript) else function.returns
        empty = EMPTY.get(returned.id, "None") if isinstance(returned, ast.Name) else "None"
        function.body = ast.parse(body.format(name=exercise.name, empty=empty)).body
    return ast.unparse(tree).encode()
