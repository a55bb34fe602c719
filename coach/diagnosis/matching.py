"""Finds the wrong solutions that explain a wrong call, because they have the same outcome in the table of outcomes.

The answer key comes first: if it agrees with the student's code, the mistake is elsewhere. A wrong solution is ruled
out if it fails on an earlier call of this run that the student's code gets right, if the test group that catches it
has passed, or if the student's code lacks what such a solution has. The others are ordered by `Match.order`.
"""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from coach.diagnosis.outcomes import Outcome, left_by, outcome_of
from coach.diagnosis.slips import IN_THE_LOOP
from coach.diagnosis.syntax import return_in_first_iteration
from coach.diagnosis.table import Outcomes, OutcomeTable, WrongSolution, table_of
from coach.testing.calls import Call
from coach.testing.observation import Observation

EARLIER_CALLS = 60
"""The number of earlier calls, of those in the table, on which a wrong solution is compared."""


@dataclass(frozen=True)
class Match:
    """Says how well a wrong solution explains a call."""

    wrong: WrongSolution
    disagreements: int
    """The number of earlier calls at which it differs from the student's code."""
    is_partial: bool
    """Whether it leaves another state or other arguments."""
    is_indirect: bool
    """Whether it replaces a function that the called one calls."""

    @property
    def order(self) -> tuple[int, bool, bool]:
        """Return a key for sorting: the likeliest match has the lowest."""
        return self.disagreements, self.is_partial, self.is_indirect


@dataclass(frozen=True)
class Explanation:
    is_right: bool
    """Whether the answer key has the same outcome: then the mistake is elsewhere."""
    wrong_solutions: tuple[WrongSolution, ...] = ()
    """Those that explain a call best, the likeliest first."""
    is_contradicted: bool = False
    """Whether they differ from the student's code on other calls: then the student had another thought."""


def explanation(seen: Observation) -> Explanation | None:
    """Find the wrong solutions that explain a call; None if nothing is known about the call."""
    table = table_of(seen.call.module) if seen.call.module else None
    known = table.outcomes(seen) if table else None
    if table is None or known is None or known.right is None:
        return None
    came = outcome_of(seen)
    if known.right.looked_at & came.looked_at:
        return Explanation(True)
    matches = [*_matches(seen.call, came, known, table)]
    first = min((match.order for match in matches), default=(0, False, False))
    best = [match for match in matches if match.order == first]
    times = Counter(match.wrong.mistake.name for match in best)

    def rank(match: Match) -> tuple[bool, bool, int, str]:
        """Put the mistake that the test was written to find first, then one that the code shows as well, then the one
        with most wrong solutions."""
        wrong = match.wrong
        return wrong.name != seen.suspect, not wrong.has, -times[wrong.mistake.name], wrong.name

    return Explanation(False, tuple(match.wrong for match in sorted(best, key=rank)), first[0] > 0)


def _matches(call: Call, came: Outcome, known: Outcomes, table: OutcomeTable) -> Iterator[Match]:
    """Yield the wrong solutions with the outcome of a call that nothing rules out."""
    earlier = _earlier(call, table)
    returns = return_in_first_iteration(call.function)
    passed = {group for group, passes in call.history.passes.items() if passes and group != call.history.group}
    for wrong in table.wrong_solutions:
        outcome = known.wrong.get(wrong.id)
        is_indirect = call.verb != wrong.exercise.name
        if outcome is None or wrong.caught_by in passed or not wrong.fits(call):
            continue
        if returns and not is_indirect and ("return" not in wrong.has or wrong.mistake.name == IN_THE_LOOP):
            continue
        if outcome.looked_at & came.looked_at:
            disagreements = _disagreements(wrong, earlier)
            if disagreements is not None:
                yield Match(wrong, disagreements, outcome.left != came.left, is_indirect)


def _earlier(call: Call, table: OutcomeTable) -> list[tuple[Outcomes, str]]:
    """Return, for the earlier calls that the table has, the latest first, its outcomes and what the call left."""
    effects: dict[int, tuple[Outcomes, str] | None] = call.history.effects
    for each in call.before():
        if each.number not in effects:
            known = table.outcomes(Observation(each, each.effect.value))
            effects[each.number] = (known, left_by(each)) if known else None
    return [*islice(filter(None, (effects[each.number] for each in call.before())), EARLIER_CALLS)]


def _disagreements(wrong: WrongSolution, earlier: list[tuple[Outcomes, str]]) -> int | None:
    """Count the calls at which a wrong solution differs from the student's code; None if it is wrong at a right one."""
    count = 0
    for known, left in earlier:
        is_right = known.right is not None and known.right.left == left
        outcome = known.outcome(wrong)
        if wrong.exercise.qualified_name in known.exercises and not (outcome and outcome.left == left):
            if is_right:
                return None
            count += 1
    return count
