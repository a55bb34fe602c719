"""Outcomes of wrong solutions without their code, for a release without answers.

Each wrong solution of the bank was tested by its module's suite up to its first failing call (make_stored.py). What
comes of this call, and of those before it in the same test, on each of the others and on the answer key, is stored by
hash:

    {"mistakes": {name: [mistake, why, pitfall, thought, exercise, test group]},
     "calls": {call: [[exercises that it goes through], {outcome: [names]}]}}

The first outcome of a call is the answer key's, and that of all wrong solutions that are not listed. A student's call
that is not stored shows nothing: what differs from the calls of every wrong solution, such as one after a second
mistake, is explained only where there is a bank.
"""

import json

from g2c.course.diagnosis.bank import Known
from g2c.course.diagnosis.outcomes import Outcome, digest, text_of
from g2c.course.exercises import BANK, Module
from g2c.course.testing.calls import Call
from g2c.course.testing.observation import Observation
from g2c.course.testing.report import Mistake

FILE = "outcomes.json"

StoredCall = tuple[list[str], dict[str, list[str]]]


class Stored:
    def __init__(self, module: Module) -> None:
        path = BANK / module.id / FILE
        stored = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"mistakes": {}, "calls": {}}
        self._calls: dict[str, StoredCall] = stored["calls"]
        exercises = {exercise.qualified_name: exercise for exercise in module.exercises}
        self.known = [
            Known(name, Mistake(*said), exercises[exercise], caught_by)
            for name, (*said, exercise, caught_by) in stored["mistakes"].items()
        ]

    def exercises_of(self, seen: Observation) -> frozenset[str]:
        return frozenset(self._row(seen)[0])

    def outcome(self, seen: Observation, name: str | None) -> Outcome | None:
        _, outcomes = self._row(seen)
        found = next((outcome for outcome, names in outcomes.items() if name in names), next(iter(outcomes), ""))
        if not found:
            return None
        left, *looked_at = found.split()
        return Outcome(left, frozenset(looked_at))

    def likeness(self, call: Call, name: str) -> float:
        return 0.0

    def _row(self, seen: Observation) -> StoredCall:
        return self._calls.get(name_of(seen), ([], {}))


def name_of(seen: Observation) -> str:
    """Return the hash under which a call is stored: of function, public attributes, arguments, what is looked at."""
    call = seen.call
    state = {name: value for name, value in call.state.items() if not name.startswith("_")}
    return digest(text_of([call.key, state, call.args, call.kwargs, seen.part, seen.unseen], ordered=True))
