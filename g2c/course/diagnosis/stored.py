"""Reads the outcomes of wrong solutions in a release without answers, which lacks their code.

make_stored.py tested each wrong solution of the bank up to its first failing call. For this call, and those before it
in the same test, the outcomes on all wrong solutions and on the answer key are stored by hash:

    {"mistakes": {name: [mistake, why, pitfall, thought, exercise, test group]},
     "calls": {call: [[exercises that it goes through], {outcome: [names]}]}}

The first outcome of a call is the answer key's, and that of every wrong solution that is not listed. A call that is
not stored remains unexplained: only the bank itself can explain a call that no wrong solution led to, such as one after
a second mistake.
"""

import json

from g2c.course.diagnosis.bank import Known
from g2c.course.diagnosis.outcomes import Outcome, digest, text_of
from g2c.course.exercises import BANK, Module
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

    def _row(self, seen: Observation) -> StoredCall:
        return self._calls.get(name_of(seen), ([], {}))


def name_of(seen: Observation) -> str:
    """Return the hash under which a call is stored: of function, public attributes, arguments and part looked at."""
    call = seen.call
    state = {name: value for name, value in call.state.items() if not name.startswith("_")}
    return digest(text_of([call.key, state, call.args, call.kwargs, seen.part, seen.unseen], ordered=True))
