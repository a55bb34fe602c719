"""From the test runner's records to points.

An exercise's points are divided evenly among its test groups, and a group's points evenly among its tests. A group with
tests marked `core` has no points unless all of these pass. An exercise that failed has run once more with the answer
key's code for those above it that failed, and the better result counts. The points of the groups that need all
exercises of a module are given when every test of the module passes with the student's code alone. Tests that pass on
the untouched exercise files, or on files whose functions return constants, carry no points. A test without a result,
because the run ended before it, has failed.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from g2c.common.errors import CourseError
from g2c.course.exercises import Module, modules

Record = dict[str, Any]
"""A line that the test runner wrote; see g2c.grading.runner."""

HIDDEN = "hidden"


@dataclass(frozen=True)
class Group:
    """Tests that share some points."""

    module_id: str
    """The module's ID, or HIDDEN for the instructor's own tests."""
    title: str
    """The exercise's name, "all together", or the file of a hidden test."""
    name: str
    points: Fraction
    nodes: tuple[str, ...]
    core: frozenset[str] = frozenset()
    """The tests without which the others earn nothing."""
    needs_module: bool = False
    """Whether the points are given only when every test of the module passes."""

    @property
    def shown(self) -> str:
        return f"{self.title}: {self.name}" if self.name else self.title


@dataclass(frozen=True)
class GroupMark:
    """What a student got for a group.

    `failures` holds (test, message) for each test that did not pass; the message is "" where there is no result. Tests
    of the module that carry no points, and yet keep this group's from being given, come last.
    """

    group: Group
    passed: int
    failures: tuple[tuple[str, str], ...]
    withheld: str = ""
    """Why the tests that passed earn nothing; "" where they do."""
    with_key: tuple[str, ...] = ()
    """Exercises that failed, too. The points come from a run with the answer key's code for them."""

    @property
    def points(self) -> Fraction:
        return Fraction(0) if self.withheld else self.group.points * Fraction(self.passed, len(self.group.nodes))

    @property
    def remark(self) -> str:
        """Why the points are what they are, in sentences; "" where that is plain."""
        names = ", ".join(self.with_key)
        carried = f"Counted with the answer key's {names}, because of which more tests failed." if names else ""
        return f"{self.withheld} {carried}".strip()


@dataclass
class Grade:
    """One student's result."""

    name: str
    groups: list[GroupMark] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """For the student and the instructor."""
    suspicions: list[str] = field(default_factory=list)
    """For the instructor alone."""
    mistakes: list[str] = field(default_factory=list)
    """Names of recognized mistakes, such as "04: strict UTF-8"."""

    @property
    def score(self) -> Fraction:
        return sum((mark.points for mark in self.groups), Fraction(0))

    @property
    def possible(self) -> Fraction:
        return sum((mark.group.points for mark in self.groups), Fraction(0))

    @property
    def percent(self) -> float:
        return 100 * float(self.score / self.possible) if self.possible else 0.0

    def by_title(self) -> dict[tuple[str, str], tuple[Fraction, Fraction]]:
        """(module, exercise) -> points, and the points possible."""
        sums: dict[tuple[str, str], tuple[Fraction, Fraction]] = {}
        for mark in self.groups:
            key = mark.group.module_id, mark.group.title
            got, possible = sums.get(key, (Fraction(0), Fraction(0)))
            sums[key] = got + mark.points, possible + mark.group.points
        return sums


class Scheme:
    """All tests and their worth, derived from the records of runs on files that solve nothing.

    Args:
        records: of the run on the untouched exercise files.
        module_ids: the modules to grade.
        constants: the records of runs on `g2c.grading.constants.constant_files`.

    Raises:
        CourseError: the tests cannot be run, or did not finish on the untouched files.
    """

    def __init__(
        self,
        records: list[Record],
        module_ids: Iterable[str],
        constants: Iterable[list[Record]] = (),
    ) -> None:
        unreadable = [record for record in records if "unreadable" in record]
        if unreadable:
            raise CourseError(f"{unreadable[0]['unreadable']} cannot be run:\n{unreadable[0]['message']}")
        if not records or not records[-1].get("finished"):
            raise CourseError(
                "The course's own tests did not finish on the untouched exercise files. Run `g2c doctor`."
            )
        # A test skipped here, for instance because a corpus is missing, is skipped for every student.
        skipped = {record["test"] for record in records if record.get("outcome") == "skipped"}
        tests = [record for record in records if record.get("collected", "") not in {"", *skipped}]
        free = set().union(*map(_passed, (records, *constants)))
        counting = [record for record in tests if record["collected"] not in free]
        graded = [modules()[module_id] for module_id in module_ids]
        self.tests = {
            module.id: [record["collected"] for record in tests if record["file"] == module.suite] for module in graded
        }
        """Module -> every test of its suite that can run, also those that carry no points."""
        self.groups = [group for module in graded for group in _groups_of(module, counting)]
        self.groups += _hidden_groups(counting)

    def mark(self, records: list[Record]) -> list[GroupMark]:
        """The marks for the records of one student's run."""
        own = [record for record in records if "test" in record and not record["with_key"]]
        again = [record for record in records if "test" in record and record["with_key"]]
        # Those of the run with the answer key's code may say what the student's code has found in it.
        messages = {record["test"]: record["message"] for record in own if record["outcome"] != "passed"}
        passed, passed_with_key = _passed(own), _passed(again)
        incomplete = {module_id for module_id, nodes in self.tests.items() if not passed.issuperset(nodes)}
        marks = []
        for group in self.groups:
            found = [_mark(group, passed, messages, incomplete)]
            keys = [record["with_key"] for record in again if record["test"] in group.nodes]
            if keys and not group.needs_module:
                found.append(_mark(group, passed_with_key, messages, with_key=tuple(keys[0])))
            marks.append(max(found, key=lambda mark: mark.points))
        # What no group counts is shown at the first of the groups that it keeps from earning points.
        counting = {node for group in self.groups for node in group.nodes}
        for module_id, nodes in self.tests.items():
            others = tuple((node, messages[node]) for node in nodes if node in messages and node not in counting)
            needing = [i for i, group in enumerate(self.groups) if group.needs_module and group.module_id == module_id]
            for place in needing[:1]:
                marks[place] = replace(marks[place], failures=marks[place].failures + others)
        return marks


def _groups_of(module: Module, counting: list[Record]) -> list[Group]:
    """The groups of a module's suite, of the tests that count."""
    parts = [(exercise.name, exercise.groups, exercise.points) for exercise in module.exercises]
    parts.append(("all together", module.together, module.together_points))
    groups = []
    for title, names, points in parts:
        tests = {
            name: [record for record in counting if (record["file"], record["group"]) == (module.suite, name)]
            for name in names
        }
        # A group without a test that counts leaves its points to the exercise's other groups.
        found = {name: records for name, records in tests.items() if records}
        for name, records in found.items():
            worth = Fraction(points, len(found))
            groups.append(_group(module.id, title, name, worth, records, needs_module=name in module.together))
    return groups


def _hidden_groups(counting: list[Record]) -> list[Group]:
    """Tests under one `points` marker share its points; every other hidden test has 1 point."""
    of_course = {module.suite for module in modules().values()}
    places: dict[tuple[str, float], list[Record]] = {}
    for record in counting:
        if record["file"] not in of_course:
            place, worth = record["points"] or (record["collected"], 1)
            places.setdefault((place, worth), []).append(record)
    groups = []
    for (place, worth), records in places.items():
        file, *names = place.removeprefix(f"{HIDDEN}/").split("::")
        groups.append(_group(HIDDEN, file, "::".join(names), Fraction(str(worth)), records))
    return groups


def _group(
    module_id: str, title: str, name: str, points: Fraction, records: list[Record], *, needs_module: bool = False
) -> Group:
    nodes = tuple(record["collected"] for record in records)
    core = frozenset(record["collected"] for record in records if record.get("core"))
    return Group(module_id, title, name, points, nodes, core, needs_module)


def _mark(
    group: Group,
    passed: Collection[str],
    messages: Mapping[str, str],
    incomplete: Collection[str] = (),
    with_key: tuple[str, ...] = (),
) -> GroupMark:
    """What a group gets.

    Args:
        group: the group.
        passed: the tests that passed, in it and elsewhere.
        messages: test that failed -> why.
        incomplete: IDs of the modules of which not every test passes.
        with_key: see `GroupMark`.
    """
    failures = tuple((node, messages.get(node, "")) for node in group.nodes if node not in passed)
    withheld = ""
    if core := [node for node, _ in failures if node in group.core]:
        withheld = f"No points without {core[0].split('::', 2)[-1]}."
    elif group.needs_module and group.module_id in incomplete:
        withheld = f"No points until every test of module {group.module_id} passes."
    return GroupMark(group, len(group.nodes) - len(failures), failures, withheld, with_key)


def _passed(records: Iterable[Record]) -> set[str]:
    """The tests that passed. One that passed and then failed when it was torn down has failed."""
    results = [(record["test"], record["outcome"]) for record in records if "test" in record]
    return {test for test, _ in results} - {test for test, outcome in results if outcome != "passed"}
