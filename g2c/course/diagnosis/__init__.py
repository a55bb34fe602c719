"""Which mistake explains a wrong call: wrong solutions with the same outcome, and rules for what none of them shows.

bank.py       the wrong solutions in mistakes/
replay.py     what comes of a call on each of them; stored.py: the same in a release without answers
outcomes.py   the outcome of a call, in a form that can be compared and stored
matching.py   which wrong solutions explain a call, the likeliest first
general.py    rules for mistakes that can be made in any exercise
slips.py      rules for slips of Python; syntax.py: patterns for code
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from g2c.common.errors import best_effort
from g2c.course.diagnosis import general, slips
from g2c.course.diagnosis.matching import Explanation, explanations, matcher
from g2c.course.testing.calls import NO_SECTION, NOT_SAID, Call, Mistake, history
from g2c.course.testing.comparison import show

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
            # Two wrong solutions with one name may come from two thoughts.
            thought = first.thought if all(mistake.thought in ("", first.thought) for mistake in found) else ""
            return first._replace(alternatives=tuple(others[:2]), thought=thought)
    return None


def _guesses(call: Call) -> Iterator[list[Mistake]]:
    """Mistakes that explain the call equally well, from the surest to the vaguest."""
    yield _ask(call, general.certain_mistakes)
    yield _ask(call, slips.code_slips)
    found = explanations(call)
    best = [one for one in found if one.rank == found[0].rank] if found else []
    # Among equals, what the test was written to find goes first.
    best.sort(key=lambda one: one.known.name != call.known)
    mistakes = list(map(_mistake, best))
    if best and not best[0].disagreements:
        yield (
            mistakes if len({mistake.name for mistake in mistakes}) > 1 else mistakes + _ask(call, _of_the_error_alone)
        )
    if found is None:
        yield _ask(call, _known_to_the_test)
        yield _mistake_before(call)
    yield _ask(call, general.kept_state, general.changed_state)
    yield _ask(call, slips.error_slips, general.shape_mistakes)
    # More than one mistake may have been made: then no wrong solution agrees with all wrong calls.
    yield mistakes
    yield _ask(call, general.last_resorts)


def _mistake(explanation: Explanation) -> Mistake:
    """The mistake; without the thought behind it where other calls show that the student thought of something else."""
    mistake = explanation.known.mistake
    return mistake._replace(thought="") if explanation.disagreements else mistake


def _ask(call: Call, *recognizers: Callable[[Call], Iterable[Mistake]]) -> list[Mistake]:
    found: list[Mistake] = []
    for recognizer in recognizers:
        with best_effort():
            found.extend(recognizer(call))
    return list(dict.fromkeys(found))


def _of_the_error_alone(call: Call) -> list[Mistake]:
    """What to say beside the only wrong solution with the same error: others would raise it too."""
    if call.error is None or isinstance(call.expected, type):
        return []
    other = Mistake(f"another cause of the same {type(call.error).__name__}", "")
    return (isinstance(call.error, LookupError) and [*slips.error_slips(call)]) or [other]


def _known_to_the_test(call: Call) -> Iterator[Mistake]:
    """The mistake that the test was written to find."""
    if call.error is None and call.module is not None:
        yield from (known.mistake for known in matcher(call.module).source.known if known.name == call.known)


def _mistake_before(call: Call) -> list[Mistake]:
    """What explains the last wrong call of the test before this one, which is right for what it was given."""
    for earlier in history.before(call)[:CALLS_BEFORE]:
        if earlier.number <= history.test_began:
            break
        found = explanations(replace(earlier, expected=NOT_SAID))
        if found is not None:
            best = [one.known.mistake for one in found if one.rank == found[0].rank and not one.disagreements]
            return best or [_made_earlier(earlier, call)]
    return []


def _made_earlier(earlier: Call, call: Call) -> Mistake:
    where, here = earlier.key.split(".")[-1], call.key.split(".")[-1]
    came = f"raised {type(earlier.error).__name__}" if earlier.error else f"gave {show(earlier.returned, 60)}"
    arguments = ", ".join(show(argument, 60) for argument in earlier.args)
    not_here = f", not in {here}" if here != where else ", in a call before this one"
    return Mistake(f"the mistake is in {where}{not_here}", f"{earlier.name}({arguments}) {came}.", NO_SECTION)
