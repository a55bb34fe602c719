"""Reads the table of outcomes: what each wrong solution of the mistake bank does at calls that the suites make.

make.py writes mistakes/MODULE/outcomes.json, a line for each wrong solution and for each call:

    {"sources": "…",                         the digest of everything that the table was made from
     "mistakes": {ID: [name, mistake, why, pitfall, thought, exercise, test group, code that it has]},
     "calls": {call: ["014", {outcome: IDs}]}}

A call is a hash (outcomes.name_of). "014" are the exercises that the call goes through, by their place in the module.
An outcome is the hash of what the call left, and those of what the test looked at. It is empty if a wrong solution
cannot run there, or does not return. The first outcome is the answer key's, and that of all wrong solutions that are
not listed. Nothing is known about a call that is not in the table.
"""

import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, NamedTuple

from coach.diagnosis.outcomes import Outcome, digest, name_of
from coach.diagnosis.syntax import has_code
from coach.exercises import BANK, Exercise, Module
from coach.testing.calls import Call
from coach.testing.observation import Observation
from coach.testing.report import Mistake

FILE = "outcomes.json"


@dataclass(frozen=True, eq=False)
class WrongSolution:
    """Says what a report needs to know of a wrong solution."""

    name: str
    mistake: Mistake
    exercise: Exercise
    caught_by: str
    """The test group that fails first."""
    has: str
    """Patterns for code without which the mistake is not named, as for `syntax.has_code`; "" for any code."""

    @property
    def id(self) -> str:
        return id_of(self.name)

    def fits(self, call: Call) -> bool:
        """Tell whether the student's function, the one that was called or one that it calls, has what such a solution
        has."""
        return not self.has or has_code(self._function(call), self.has)

    def _function(self, call: Call) -> Callable[..., Any] | None:
        if call.verb == self.exercise.name:
            return call.function
        owner = sys.modules.get(self.exercise.module.package) if call.owner is None else call.owner
        function: Callable[..., Any] | None = getattr(owner, self.exercise.name, None)
        return function


class Outcomes(NamedTuple):
    """Has the outcomes of one call."""

    exercises: frozenset[str]
    """The qualified names of the exercises that the call goes through."""
    right: Outcome | None
    wrong: dict[str, Outcome | None]
    """ID of a wrong solution -> its outcome, if that is not the right one; None if it cannot run or does not return."""

    def outcome(self, wrong: WrongSolution) -> Outcome | None:
        return self.wrong.get(wrong.id, self.right)


class OutcomeTable:
    """Has the outcomes of a module's wrong solutions; of none where there is no file."""

    def __init__(self, module: Module) -> None:
        self._module = module
        path = BANK / module.id / FILE
        content = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {}
        self.sources: str = content.get("sources", "")
        self._calls: dict[str, tuple[str, dict[str, str]]] = content.get("calls", {})
        self._mistakes: dict[str, list[str]] = content.get("mistakes", {})

    @cached_property
    def wrong_solutions(self) -> list[WrongSolution]:
        exercises = {exercise.qualified_name: exercise for exercise in self._module.exercises}
        return [
            WrongSolution(name, Mistake(mistake, why, pitfall, thought), exercises[exercise], caught_by, has)
            for name, mistake, why, pitfall, thought, exercise, caught_by, has in self._mistakes.values()
        ]

    def outcomes(self, seen: Observation) -> Outcomes | None:
        """Return the outcomes of a call as a test looks at it; None if they are unknown."""
        found = self._calls.get(name_of(seen))
        return self.read(*found) if found else None

    def read(self, places: str, outcomes: Mapping[str, str]) -> Outcomes:
        exercises = frozenset(self._module.exercises[int(place, 36)].qualified_name for place in places)
        right, *_ = outcomes
        wrong = {one: _read(outcome) for outcome, ids in outcomes.items() for one in ids.split()}
        return Outcomes(exercises, _read(right), wrong)


@cache
def table_of(module: Module) -> OutcomeTable:
    return OutcomeTable(module)


def id_of(name: str) -> str:
    return digest(name, 5)


def written(outcome: Outcome | None) -> str:
    return " ".join([outcome.left, *sorted(outcome.looked_at)]) if outcome else ""


def _read(text: str) -> Outcome | None:
    left, *looked_at = text.split() or [""]
    return Outcome(left, frozenset(looked_at)) if left else None
