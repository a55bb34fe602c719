"""Which mistake explains a wrong call: wrong solutions of the bank, replayed, and rules for what no replay shows."""

from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import replace

from g2c.common.answer_key import has_key
from g2c.course.calls import NOT_SAID, Call, Mistake, history
from g2c.course.diagnosis import fingerprints, general, slips
from g2c.course.diagnosis.bank import entries
from g2c.course.diagnosis.replay import Explanation, explanations

CALLS_BEFORE = 6
"""How many calls of the same test are looked at when the failing one is right for what it was given."""


def diagnose(call: Call) -> Mistake | None:
    """The mistake that explains a wrong call; None when none is known that would.

    Where other mistakes explain it just as well, `alternatives` names them.
    """
    for found in _guesses(call):
        if found:
            first = found[0]
            others = [name for name in dict.fromkeys(mistake.name for mistake in found) if name != first.name]
            return first._replace(alternatives=tuple(others[:2]), thought="" if others else first.thought)
    return None


def _guesses(call: Call) -> Iterator[list[Mistake]]:
    """Mistakes that explain the call equally well, from the surest to the vaguest."""
    # A replayed mistake that raises a NameError has misspelled another name.
    yield _ask(call, general.certain_mistakes, slips.unknown_names)
    yield _ask(call, slips.code_slips)
    if not has_key():
        yield fingerprints.known_mistakes(call)
        yield fingerprints.known_to_the_test(call)
        yield _ask(call, general.kept_state, general.changed_state, slips.error_slips)
        yield _ask(call, general.shape_mistakes, general.last_resorts)
        return
    found = explanations(call)
    best = [one for one in found if one.rank == found[0].rank] if found else []
    # Among equals, what the test was written to find goes first.
    best.sort(key=lambda one: one.entry.name != call.known)
    mistakes = list(map(_mistake, best))
    if best and not best[0].disagreements:
        yield mistakes
    if found is None:
        yield _ask(call, _known_to_the_test)
        yield _replayed_before(call)
    else:
        yield _ask(call, general.kept_state, general.changed_state)
    yield _ask(call, slips.error_slips, general.shape_mistakes)
    # More than one mistake may have been made: then no wrong solution agrees with all wrong calls.
    yield mistakes
    yield _ask(call, general.last_resorts)


def _mistake(explanation: Explanation) -> Mistake:
    """The mistake; without the thought behind it where other calls show that the student thought of something else."""
    mistake = explanation.entry.as_mistake()
    return mistake._replace(thought="") if explanation.disagreements else mistake


def _ask(call: Call, *recognizers: Callable[[Call], Iterable[Mistake]]) -> list[Mistake]:
    found: list[Mistake] = []
    for recognizer in recognizers:
        # A recognizer looks at values of any kind; one that it cannot read is none that it knows.
        with suppress(Exception):
            found.extend(recognizer(call))
    return list(dict.fromkeys(found))


def _known_to_the_test(call: Call) -> Iterator[Mistake]:
    """The mistake that the test was written to find."""
    if call.error is None and call.module is not None:
        yield from (entry.as_mistake() for entry in entries(call.module.id) if entry.name == call.known)


def _replayed_before(call: Call) -> list[Mistake]:
    """What explains the last wrong call of the test before this one, which is right for what it was given."""
    for earlier in history.before(call)[:CALLS_BEFORE]:
        if earlier.number <= history.test_began:
            break
        found = explanations(replace(earlier, expected=NOT_SAID))
        if found is not None:
            return [one.entry.as_mistake() for one in found if one.rank == found[0].rank and not one.disagreements]
    return []
