"""Which mistake explains a wrong call: wrong solutions of the bank, replayed, and a few rules for what no replay shows."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from g2c.course.calls import NOT_SAID, Call, Mistake, history
from g2c.course.diagnosis import general
from g2c.course.diagnosis.replay import explanations

CALLS_BEFORE = 6
"""How many calls of the same test are looked at when the failing one is right for what it was given."""


def diagnose(call: Call) -> Mistake | None:
    """The mistake that explains a wrong call; None when none is known that would.

    Where other mistakes of the same section of the handout explain it just as well, `alternatives` names them.
    """
    for source in (_certain, _replayed, _state_and_kind, _replayed_earlier, _replayed_in_part, _last):
        found = list(dict.fromkeys(source(call)))
        if found:
            first = found[0]
            names = [mistake.name for mistake in found[1:] if mistake.pitfall == first.pitfall]
            others = [name for name in dict.fromkeys(names) if name != first.name]
            return first._replace(alternatives=tuple(others[:2]))
    return None


def _ask(call: Call, *recognizers: Callable[[Call], Iterable[Mistake]]) -> Iterator[Mistake]:
    for recognizer in recognizers:
        try:
            yield from recognizer(call)
        except Exception:
            # A recognizer looks at values of any kind; one that it cannot read is none that it knows.
            continue


def _certain(call: Call) -> Iterator[Mistake]:
    return _ask(call, general.certain_mistakes)


def _state_and_kind(call: Call) -> Iterator[Mistake]:
    return _ask(call, general.kept_state, general.error_mistakes, general.shape_mistakes)


def _last(call: Call) -> Iterator[Mistake]:
    return _ask(call, general.last_resorts)


def _replayed(call: Call) -> Iterator[Mistake]:
    """The wrong solutions that agree with all that is known of the student's code."""
    found = [one for one in explanations(call) if not one.disagreements]
    return (one.entry.as_mistake() for one in found if one.rank == found[0].rank)


def _replayed_earlier(call: Call) -> Iterator[Mistake]:
    """The same for an earlier call of the test, whose wrong result the failing call may have been given."""
    calls = [earlier for earlier in history.before(call)[:CALLS_BEFORE] if earlier.number > history.test_began]
    for earlier in calls:
        found = list(_replayed(replace(earlier, expected=NOT_SAID)))
        if found:
            return iter(found)
    return iter(())


def _replayed_in_part(call: Call) -> Iterator[Mistake]:
    """The wrong solutions that explain this call, but not all others: there may be more than one mistake."""
    found = explanations(call)
    return (one.entry.as_mistake() for one in found if one.rank == found[0].rank)
