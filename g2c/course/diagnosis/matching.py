"""Finds the wrong solutions that explain a wrong call, as they have the same outcome.

`replay.Replay` returns the outcome of a call on a wrong solution; in a release without answers, `stored.Stored` does.

The answer key comes first: if it agrees with the student's code, the mistake is elsewhere. A wrong solution is ruled
out if it fails on another call of this test run that the student's code gets right, or if the test group that catches
it has passed. The others are ordered by agreement with other calls, by the state and arguments that they leave, by
whether they replace the called function itself, by how much code they share with it, and by how many have a name.

Outcomes are kept: a wrong solution that once differed from the student's code is tried again only if no other agrees
with every call.
"""

import io
import threading
import time
import warnings
from collections import Counter
from contextlib import redirect_stderr, redirect_stdout
from typing import Any, NamedTuple

from g2c.common.answer_key import has_key
from g2c.common.errors import best_effort
from g2c.common.files import no_garbage_collection
from g2c.course.diagnosis.bank import Known
from g2c.course.diagnosis.outcomes import Outcome, left_by, outcome_of
from g2c.course.diagnosis.replay import Replay
from g2c.course.diagnosis.stored import Stored
from g2c.course.exercises import Module
from g2c.course.testing.calls import Call, History
from g2c.course.testing.limits import limited_memory
from g2c.course.testing.observation import Observation

SECONDS_IN_ALL = 0.8
MEGABYTES = 256
EARLIER_CALLS = 60
"""The number of earlier calls on which a wrong solution is tried."""


class Explanation(NamedTuple):
    """Says how well a wrong solution explains a call. The lower one is likelier."""

    disagreements: int
    """The number of other calls on which it differs from the student's code."""
    partial: bool
    """Whether it leaves another state or other arguments than the student's code."""
    indirect: bool
    """Whether it replaces a function that the called one calls."""
    known: Known

    @property
    def rank(self) -> tuple[int, bool, bool]:
        return self[:3]


def matcher(history: History, module: Module) -> "Matcher":
    """Return the object that matches a module's wrong solutions: one for a test run, since it keeps outcomes."""
    if module.id not in history.memory:
        history.memory[module.id] = Matcher(Replay(module) if has_key() else Stored(module))
    kept: Matcher = history.memory[module.id]
    return kept


def explanations(seen: Observation) -> list[Explanation] | None:
    """Find the wrong solutions that explain a call, the likeliest first; None if nothing can be compared."""
    module = seen.call.module
    if module is None or threading.current_thread() is not threading.main_thread():
        # Nothing could stop a wrong solution in another thread.
        return None
    with (
        # If a file cannot be imported, a report without a mistake is better than none.
        best_effort(),
        warnings.catch_warnings(action="ignore"),
        redirect_stdout(io.StringIO()),
        redirect_stderr(io.StringIO()),
        limited_memory(MEGABYTES),
        # A garbage collection takes longer than the few milliseconds that a call may take.
        no_garbage_collection(),
    ):
        return matcher(seen.call.history, module).explanations(seen)
    return None


class Matcher:
    def __init__(self, source: Replay | Stored) -> None:
        self.source = source
        self.deadline = 0.0
        self.agreements: dict[tuple[int, str | None], bool | None] = {}
        """(number of a call, wrong solution or None for the key) -> whether it left what the student's code left; None
        if that is unknown."""
        self.own: dict[int, str] = {}
        """Number of a call -> a hash of what the student's code left. Computing it reads the whole state."""

    def explanations(self, seen: Observation) -> list[Explanation] | None:
        self.deadline = time.process_time() + SECONDS_IN_ALL
        came, right = outcome_of(seen), self.source.outcome(seen, None)
        if right is None or right.looks_like(came):
            return None
        exercises = self.source.exercises_of(seen)
        refuted = {name for (_, name), agrees in self.agreements.items() if agrees is False}
        has_passed = seen.call.history.has_passed
        candidates = [
            one
            for one in self.source.known
            if one.exercise.qualified_name in exercises and not has_passed(one.caught_by)
        ]
        found = self._explaining(seen, came, [known for known in candidates if known.name not in refuted])
        if all(explanation.disagreements for explanation in found):
            found += self._explaining(seen, came, [known for known in candidates if known.name in refuted])
        names = Counter((one.rank, one.known.mistake.name) for one in found)
        alike = {one: self.source.likeness(seen.call, one.known.name) for one in found} if len(names) > 1 else {}

        def likeliest_first(one: Explanation) -> Any:
            return one.rank, -alike.get(one, 0.0), -names[one.rank, one.known.mistake.name], one.known.name

        return sorted(found, key=likeliest_first)

    def _explaining(self, seen: Observation, came: Outcome, wrong: list[Known]) -> list[Explanation]:
        call, found = seen.call, []
        for known in wrong:
            outcome = self.source.outcome(seen, known.name) if time.process_time() < self.deadline else None
            if outcome:
                self.agreements[call.number, known.name] = agrees = outcome.left == came.left
                if outcome.looks_like(came):
                    found.append((known, not agrees, call.verb != known.exercise.name))
        earlier = call.before()[:EARLIER_CALLS] if found else []
        return [
            Explanation(count, partial, indirect, known)
            for known, partial, indirect in found
            if (count := self._disagreements(known, earlier)) is not None
        ]

    def _disagreements(self, known: Known, calls: list[Call]) -> int | None:
        """Count the calls on which the student's code differs from a wrong solution; None if it is right on one."""
        count = 0
        for call in calls:
            if time.process_time() > self.deadline:
                break
            if known.exercise.qualified_name in self.source.exercises_of(Observation(call)):
                agrees = self._agrees(call, known.name)
                if agrees is None:
                    return count + 1
                if not agrees:
                    if self._agrees(call, None):
                        return None
                    count += 1
        return count

    def _agrees(self, call: Call, name: str | None) -> bool | None:
        if (call.number, name) not in self.agreements:
            if call.number not in self.own:
                self.own[call.number] = left_by(call)
            outcome = self.source.outcome(Observation(call), name)
            self.agreements[call.number, name] = outcome and outcome.left == self.own[call.number]
        return self.agreements[call.number, name]
