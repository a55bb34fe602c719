"""Finds the mistake that explains a wrong call: a wrong solution with the same outcome, or a rule for other mistakes.

table.py      reads the table of outcomes: what each wrong solution does at calls of the suites
outcomes.py   turns what a call did into hashes
matching.py   finds the wrong solutions that explain a call, the likeliest first
general.py    rules for mistakes that can be made in any exercise
slips.py      rules for slips in Python; syntax.py: patterns for code
bank.py       the wrong solutions in mistakes/, from which make.py makes the table; no student needs these two
"""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from coach.common.errors import best_effort
from coach.diagnosis import general, slips
from coach.diagnosis.matching import Explanation, explanation
from coach.diagnosis.table import table_of
from coach.testing.calls import Call
from coach.testing.comparison import show
from coach.testing.limits import OverLimit
from coach.testing.observation import A_VALUE, Observation
from coach.testing.report import NO_SECTION, Mistake

CALLS_OF_THE_TEST = 6
"""How many earlier calls of a test are examined when the failing one is right for its arguments."""


def diagnose(seen: Observation) -> Mistake | None:
    """Find the mistake that explains a wrong call. `alternatives` names others that explain it equally well."""
    if isinstance(seen.error, OverLimit):
        return general.over_limit(seen.error, seen.call)
    for found in _guesses(seen):
        if found:
            first, *others = dict.fromkeys(mistake.name for mistake in found)
            # Where another mistake explains the call as well, the student may have thought that.
            is_one_thought = not others and all(mistake.thought in ("", found[0].thought) for mistake in found)
            thought = found[0].thought if is_one_thought else ""
            return replace(found[0], alternatives=tuple(others[:2]), thought=thought)
    return None


def _guesses(seen: Observation) -> Iterator[list[Mistake]]:
    """Yield lists of mistakes that explain the call equally well, from the surest to the vaguest."""
    yield _ask(seen, general.certain_mistakes)
    yield _ask(seen, slips.code_slips)
    found = _explained(seen)
    mistakes = [wrong.mistake for wrong in found.wrong_solutions] if found else []
    is_alone = len({mistake.name for mistake in mistakes}) == 1
    others = _ask(seen, _of_the_error_alone) if is_alone else []
    if found and found.is_contradicted:
        # The student had another thought.
        mistakes = [replace(mistake, thought="") for mistake in mistakes]
    elif mistakes:
        yield mistakes + others
    yield _ask(seen, slips.returns_in_the_loop)
    yield _ask(seen, slips.order_of_a_set)
    kept = _ask(seen, general.kept_state)
    if not mistakes:
        yield _ask(seen, lambda seen: _suspect_of_the_test(seen, bool(kept)))
    if found is None or found.is_right:
        yield _mistake_before(seen.call, is_right=found is not None)
    yield kept + _ask(seen, general.changed_state)
    yield _ask(seen, slips.swallowed_error)
    yield _ask(seen, slips.error_slips, general.shape_mistakes)
    # The code may contain several mistakes: then no wrong solution agrees with all wrong calls.
    yield mistakes + others
    yield _ask(seen, general.last_resorts)


def _explained(seen: Observation) -> Explanation | None:
    with best_effort():
        return explanation(seen)
    return None


def _ask(seen: Observation, *recognizers: Callable[[Observation], Iterable[Mistake]]) -> list[Mistake]:
    found: list[Mistake] = []
    for recognizer in recognizers:
        with best_effort():
            found.extend(recognizer(seen))
    return list(dict.fromkeys(found))


def _of_the_error_alone(seen: Observation) -> list[Mistake]:
    """Name another cause beside the only wrong solution with the same error: other mistakes raise it too."""
    if seen.error is None or isinstance(seen.expected, type):
        return []
    found = [*slips.error_slips(seen)] if isinstance(seen.error, LookupError) else []
    return found or [Mistake(f"another cause of the same {type(seen.error).__name__}", "")]


def _suspect_of_the_test(seen: Observation, is_kept: bool) -> Iterator[Mistake]:
    """Yield the mistake that the test was written to find, where the table cannot know what the test looks at, or that
    something is kept between calls."""
    if seen.call.module and seen.error is None and (seen.part or seen.expected is A_VALUE or is_kept):
        wrong_solutions = table_of(seen.call.module).wrong_solutions
        yield from (one.mistake for one in wrong_solutions if one.name == seen.suspect and one.fits(seen.call))


def _mistake_before(call: Call, *, is_right: bool) -> list[Mistake]:
    """Explain the last wrong call of the test before this one, which is right for its arguments, or unknown."""
    for earlier in call.before(call.history.test_began)[:CALLS_OF_THE_TEST]:
        found = _explained(Observation(earlier, earlier.effect.value))
        if found and not found.is_right:
            best = [] if found.is_contradicted else [wrong.mistake for wrong in found.wrong_solutions]
            return best or ([_made_earlier(earlier, call)] if is_right or earlier.verb != call.verb else [])
    return []


def _made_earlier(earlier: Call, call: Call) -> Mistake:
    error, value = earlier.effect.error, earlier.effect.value
    came = f"raised {type(error).__name__}" if error else f"gave {show(value, 60)}"
    arguments = ", ".join(show(argument, 60) for argument in earlier.args)
    not_here = ", in a call before this one" if call.verb == earlier.verb else f", not in {call.verb}"
    return Mistake(
        f"the mistake is in {earlier.verb}{not_here}", f"{earlier.named(earlier.verb)}({arguments}) {came}.", NO_SECTION
    )
