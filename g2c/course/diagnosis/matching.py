"""Finds the wrong solutions that explain a wrong call, as they have the same outcome.

`outcomes.Replay` returns the outcome of a call on a wrong solution; in a release without answers, `stored.Stored` does.

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
from dataclasses import dataclass, field
from typing import NamedTuple

from g2c.common.answer_key import has_key
from g2c.common.errors import best_effort
from g2c.common.files import no_garbage_collection
from g2c.course.diagnosis.bank import Entry, Known
from g2c.course.diagnosis.outcomes import Outcome, Replay, left_by, outcome_of
from g2c.course.diagnosis.stored import Stored
from g2c.course.diagnosis.syntax import words_of
from g2c.course.testing.calls import Call
from g2c.course.testing.limits import limited_memory
from g2c.course.testing.observation import Observation

SECONDS_IN_ALL = 0.8
MEGABYTES = 256
EARLIER_CALLS = 60
"""The number of earlier calls on which a wrong solution is tried."""

OWN = "the student's code"

Rank = tuple[int, bool, bool]
"""How well a wrong solution explains a call: the number of other calls on which it differs from the student's code,
whether it leaves another state or other arguments, and whether it replaces a function that the called one calls. The
lower one is likelier."""


class Explanations(NamedTuple):
    known: list[Known]
    """The wrong solutions that explain a call best, the likeliest first."""
    contradicted: bool
    """Whether they differ from the student's code on other calls: then the student had another thought."""


def explanations(seen: Observation) -> Explanations | None:
    """Find the wrong solutions that explain a call; None if nothing can be compared."""
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
        matchers: dict[str, Matcher] = seen.call.history.memory
        if module.id not in matchers:
            matchers[module.id] = Matcher(Replay(module) if has_key() else Stored(module))
        return matchers[module.id].explanations(seen)
    return None


@dataclass
class Matcher:
    """Matches a module's wrong solutions with the calls of a test run. It keeps outcomes."""

    source: Replay | Stored
    deadline: float = 0.0
    left: dict[tuple[int, str | None], str | None] = field(default_factory=dict)
    """(number of a call, whose code: a wrong solution's name, None for the key, or `OWN`) -> a hash of what the code
    left; None if that is unknown."""

    def explanations(self, seen: Observation) -> Explanations | None:
        self.deadline = time.process_time() + SECONDS_IN_ALL
        came, right = outcome_of(seen), self.source.outcome(seen, None)
        if right is None or right.seen & came.seen:
            return None
        call, exercises = seen.call, self.source.exercises_of(seen)
        passed = {group for group, passes in call.history.passes.items() if passes and group != call.history.group}
        refuted = {name for (number, name), left in self.left.items() if left and left != self.left[number, OWN]}
        self.left[call.number, OWN] = came.left
        wrong = [one for one in self.source.known if one.exercise.qualified_name in exercises]
        wrong = [one for one in wrong if one.caught_by not in passed]
        ranks = self._ranks(seen, came, [one for one in wrong if one.name not in refuted])
        if all(disagreements for disagreements, *_ in ranks.values()):
            ranks |= self._ranks(seen, came, [one for one in wrong if one.name in refuted])
        first = min(ranks.values(), default=(0, False, False))
        best = [one for one, rank in ranks.items() if rank == first]
        names = Counter(one.mistake.name for one in best)
        alike = {one: _likeness(call, one) if len(best) > 1 else 0 for one in best}
        # Among equals, the mistake that the test was written to find goes first.
        best.sort(key=lambda one: (one.name != seen.known, -alike[one], -names[one.mistake.name], one.name))
        return Explanations(best, first[0] > 0)

    def _ranks(self, seen: Observation, came: Outcome, wrong: list[Known]) -> dict[Known, Rank]:
        """Rank the wrong solutions that have this outcome and are not right on an earlier call that differs."""
        call, found = seen.call, []
        for known in wrong:
            outcome = self.source.outcome(seen, known.name) if time.process_time() < self.deadline else None
            if outcome:
                self.left[call.number, known.name] = outcome.left
                if outcome.seen & came.seen:
                    found.append((known, outcome.left != came.left, call.verb != known.exercise.name))
        earlier = call.before()[:EARLIER_CALLS] if found else []
        return {
            known: (count, partial, indirect)
            for known, partial, indirect in found
            if (count := self._disagreements(known, earlier)) is not None
        }

    def _disagreements(self, known: Known, calls: list[Call]) -> int | None:
        """Count the calls on which the student's code differs from a wrong solution; None if it is right on one."""
        count = 0
        for call in calls:
            if time.process_time() > self.deadline:
                break
            if known.exercise.qualified_name in self.source.exercises_of(Observation(call)):
                own, left = self._left_by(call, OWN), self._left_by(call, known.name)
                if left is None:
                    return count + 1
                if left != own:
                    if self._left_by(call, None) == own:
                        return None
                    count += 1
        return count

    def _left_by(self, call: Call, name: str | None) -> str | None:
        if (call.number, name) not in self.left:
            outcome = None if name == OWN else self.source.outcome(Observation(call), name)
            # What the student's code left is hashed once, because that reads the whole state.
            self.left[call.number, name] = left_by(call) if name == OWN else outcome and outcome.left
        return self.left[call.number, name]


def _likeness(call: Call, known: Known) -> float:
    """Return how much code a wrong solution and the called function share: 1.0 for all of it."""
    if not isinstance(known, Entry):
        return 0.0
    code, wrong = words_of(call.function), words_of(known.written)
    return (code & wrong).total() / max((code | wrong).total(), 1)
