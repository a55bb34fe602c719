"""Turns an examiner's records into points, by one rule.

A module has 100 points. An exercise's points are divided evenly among its test groups, a group's points evenly among
its tests, and a test's part evenly among its cases. A group earns at most half of its points if a test marked `core`
fails, and at least half if nearly all its failures show one mistake. An exercise that failed has run once more with the
answer key's code for those above it that failed, and the better result counts. The groups that need all exercises of a
module have run again too, if all are written; with the key's code, they earn the share of their points that the
exercises have earned. Tests that pass on the untouched exercise files, or on files whose functions return constants,
carry no points, but one that fails counts as one more test of its group. A test without a result, because the run ended
before it, has failed. Each fault of form that is forgiven, such as another file name, costs `FORGIVEN` points.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from coach.exercises import Module, modules
from coach.grading.points import CountedTest
from coach.grading.records import Run, passed
from coach.testing.record import TestRecord, group_of

HIDDEN = "hidden"
OF_ONE_MISTAKE = Fraction(3, 4)
"""The share of a group's failures that must show one mistake; all, if only one test passes."""
FORGIVEN = 5
"""Points off for each thing that had to be forgiven before the rest could be graded."""

Failure = tuple[str, TestRecord | None]
"""A test that did not pass, and its record; None where the run ended before it."""


@dataclass(frozen=True)
class Group:
    """Lists tests that share some points."""

    module_id: str
    """HIDDEN for the instructor's own tests."""
    title: str
    """The exercise's name, "all together", or a file of hidden tests."""
    name: str
    points: Fraction
    nodes: tuple[str, ...]
    needs_module: bool = False
    free: tuple[str, ...] = ()
    """Tests that pass without work. They count only if they fail."""

    @property
    def column(self) -> str:
        """Return the title of its column in tables, such as "04 encode"."""
        return f"{self.module_id} {self.title}"

    @property
    def shown(self) -> str:
        return f"{self.title}: {self.name}" if self.name else self.title


@dataclass(frozen=True)
class GroupMark:
    """Gives a student's result for a group."""

    group: Group
    passed: int
    failures: tuple[Failure, ...]
    """Those of free tests come last."""
    points: Fraction
    remark: str = ""
    """Why the points differ from the share of tests that pass, if they do."""


@dataclass(frozen=True)
class RecognizedMistake:
    """Names a student's mistake, with the thought behind it if the mistake bank has one."""

    module_id: str
    name: str
    thought: str = ""


@dataclass
class Grade:
    """Gives one student's result."""

    name: str
    groups: list[GroupMark] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    """For the student and the instructor."""
    forgiven: int = 0
    suspicions: list[str] = field(default_factory=list)
    """For the instructor alone."""
    mistakes: list[RecognizedMistake] = field(default_factory=list)
    wall: str = ""
    """What separated the student's code from the marks, in a sentence."""

    @property
    def is_graded(self) -> bool:
        """Tell whether the tests have run. If a fault of the machine kept them from it, a note says so."""
        return bool(self.groups)

    @property
    def score(self) -> Fraction:
        return self._earned - self.deducted

    @property
    def _earned(self) -> Fraction:
        return sum((mark.points for mark in self.groups), Fraction(0))

    @property
    def deducted(self) -> Fraction:
        """Return the points that forgiven faults cost, at most those that were earned."""
        return min(Fraction(FORGIVEN * self.forgiven), self._earned)

    def forgive(self, fault: str) -> None:
        self.forgiven += 1
        self.notes.append(f"{FORGIVEN} points off: {fault}")

    @property
    def possible(self) -> Fraction:
        return sum((mark.group.points for mark in self.groups), Fraction(0))

    @property
    def percent(self) -> float:
        return 100 * float(self.score / self.possible) if self.possible else 0.0

    def by_title(self) -> dict[str, Fraction]:
        """Return the points by column."""
        sums: dict[str, Fraction] = defaultdict(Fraction)
        for mark in self.groups:
            sums[mark.group.column] += mark.points
        return sums


class Scheme:
    """Says how many points each test is worth."""

    def __init__(self, tests: Sequence[CountedTest], graded: Iterable[Module]) -> None:
        self.groups = [group for module in graded for group in _groups_of(module, tests)]
        self.groups += _hidden_groups([test for test in tests if not test.free])
        self.core = {test.node for test in tests if test.core}

    def mark(self, run: Run) -> list[GroupMark]:
        """Compute the marks for the run on one student's files."""
        own, failed = passed(run.tests), _failed(run.tests)
        marks: list[GroupMark] = []
        for group in self.groups:
            found = [self._mark(group, own, failed, failed)]
            for names, tests in run.again:
                nodes = {test.test for test in tests}
                if not nodes.isdisjoint(group.nodes):
                    above = [mark for mark in marks if mark.group.module_id == group.module_id]
                    worth = _earned_share(above) if group.needs_module else Fraction(1)
                    found.append(self._mark(group, own - nodes | passed(tests), _failed(tests), failed, names, worth))
            marks.append(max(found, key=lambda mark: mark.points))
        return marks

    def _mark(
        self,
        group: Group,
        passing: Collection[str],
        failed: Mapping[str, TestRecord],
        own: Mapping[str, TestRecord],
        with_key: Sequence[str] = (),
        worth: Fraction = Fraction(1),
    ) -> GroupMark:
        """Compute the result for a group from the tests that pass in a run, and the records of those that fail.

        `own`: the records of those that fail in the run on the student's code alone.
        """
        missed, missed_free = ([node for node in nodes if node not in passing] for nodes in (group.nodes, group.free))
        points, half = group.points * worth * _share((*group.nodes, *missed_free), passing), group.points * worth / 2
        remarks = []
        core = [node for node in missed if node in self.core]
        all_missed, number = [*missed, *missed_free], len(group.nodes) - len(missed)
        mistakes = Counter(failed[node].mistake for node in all_missed if node in failed and failed[node].mistake)
        enough = len(all_missed) * (OF_ONE_MISTAKE if number > 1 else 1)
        if points > half and core:
            points = half
            remarks.append(f"At most half of the points without {core[0].split('::', 2)[-1]}.")
        elif 0 < points < half and max(mistakes.values(), default=0) >= enough:
            points = half
            remarks.append("Half of the points, because one mistake explains nearly all failures.")
        if with_key:
            names = " and ".join(with_key)
            who = f"Your {names}" if len(with_key) == 1 else f"At least one of your {names}"
            part = ", in proportion to those of the exercises" if group.needs_module else ""
            remarks.append(f"{who} made further tests fail; these points are with the key's {names}{part}.")
        failures = tuple((node, own.get(node)) for node in all_missed)
        return GroupMark(group, number, failures, points, " ".join(remarks))


def _groups_of(module: Module, tests: Sequence[CountedTest]) -> list[Group]:
    """Return the groups of a module's suite, with the tests that count and the free tests of the same class.

    Free tests of classes without such tests are with the first group that needs all exercises.
    """
    parts = [(exercise.name, exercise.groups, exercise.points) for exercise in module.exercises]
    parts.append(("all together", module.together, module.together_points))
    own = [(group_of(test.node), test) for test in tests if test.node.startswith(f"{module.suite}::")]
    counting = {name for name, test in own if not test.free}
    shown = [name for _, names, _ in parts for name in names if name in counting]
    rest = next((name for name in module.together if name in counting), "")
    groups = []
    for title, names, points in parts:
        # A class without a test that counts leaves its points to the exercise's other classes.
        found = [name for name in names if name in counting]
        for name in found:
            nodes = tuple(test.node for each, test in own if each == name and not test.free)
            others = tuple(test.node for each, test in own if test.free and (each if each in shown else rest) == name)
            worth = Fraction(points, len(found))
            groups.append(Group(module.id, title, name, worth, nodes, name in module.together, others))
    return groups


def _hidden_groups(counting: Iterable[CountedTest]) -> list[Group]:
    """Return the groups of hidden tests: those under one `points` marker share its points; any other test has 1."""
    of_course = tuple(f"{module.suite}::" for module in modules().values())
    places: dict[tuple[str, float], list[str]] = {}
    for test in counting:
        if not test.node.startswith(of_course):
            marked = (test.node, 1.0) if test.points is None else (test.shared_by, test.points)
            places.setdefault(marked, []).append(test.node)
    groups = []
    for (place, worth), nodes in places.items():
        file, *names = place.removeprefix(f"{HIDDEN}/").split("::")
        groups.append(Group(HIDDEN, file, "::".join(names), Fraction(str(worth)), tuple(nodes)))
    return groups


def _failed(tests: Iterable[TestRecord]) -> dict[str, TestRecord]:
    return {record.test: record for record in tests if record.outcome != "passed"}


def _earned_share(marks: Sequence[GroupMark]) -> Fraction:
    """Return the share of their points that a module's exercises have earned."""
    exercises = [mark for mark in marks if not mark.group.needs_module]
    possible = sum((mark.group.points for mark in exercises), Fraction(0))
    return sum((mark.points for mark in exercises), Fraction(0)) / possible if possible else Fraction(0)


def _share(nodes: Sequence[str], passed: Collection[str]) -> Fraction:
    """Return the share of tests that pass. The cases of a test together count as one."""
    cases = Counter(node.partition("[")[0] for node in nodes)
    parts = [Fraction(1, cases[node.partition("[")[0]]) for node in nodes if node in passed]
    return sum(parts, Fraction(0)) / len(cases)
