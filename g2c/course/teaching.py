"""What the student suites are written with: tests whose failure says what went wrong and why.

    check(call(tokenizer.encode, "the cat"), [256, 32, 99, 97, 116], idea="What was learned first is merged first.")

`call` runs student code and keeps everything a report needs: the arguments, the state of the object before the call,
what came back or was raised. `check` compares, and when the two differ raises `StudentFailure`. Its text is the report:

    Called:     tokenizer._get_pair_counts([1, 2, 3])
    Tokenizer:  no merges, no special tokens, no pattern
    Came back:  {(1, 2): 1, (2, 3): 1, (3, 1): 1}
    Expected:   {(1, 2): 1, (2, 3): 1}
    Mistake:    n pairs instead of n - 1. The last ID has no neighbor after it: stop one ID earlier.
    You may have thought: I go through all positions and look at the ID there and the one after it.
    Idea:       Three IDs in a row have two pairs of neighbors.
    Read:       docs/04-pitfalls.md#pitfall-pair-count

The lines "Mistake" and "You may have thought" come from `g2c.course.diagnosis`, which knows what common wrong solutions
do.
"""

import copy
import re
import runpy
import traceback
from collections.abc import Callable, Collection
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from types import FunctionType
from typing import Any, TextIO

from g2c.common.paths import REPOSITORY
from g2c.course.diagnosis import diagnose
from g2c.course.diagnosis.general import over_limit
from g2c.course.exercises import BANK, modules
from g2c.course.testing.calls import A_VALUE, NO_SECTION, Call, Mistake, Result, attributes, copied, history, is_long
from g2c.course.testing.comparison import WIDTH, first_difference, same, show
from g2c.course.testing.limits import Guard, Limits, OverLimit
from g2c.course.testing.report_text import cut
from g2c.course.testing.student_code import is_student_file, place_of

LINE_WIDTH = 240
"""Characters that a line may have in all: two or three lines of a terminal."""

Difference = Callable[["Outcome", Any], str | None]


class StudentFailure(AssertionError):
    """A test of student code failed. Its text is the report, which is made when somebody asks for it."""

    def __init__(
        self,
        call: "Outcome",
        expected: str | None,
        idea: str | None,
        pitfall: str | None = None,
        difference: str | None = None,
    ) -> None:
        super().__init__()
        self.call = call
        self.expected, self.idea, self.pitfall, self.difference = expected, idea, pitfall, difference
        self.__cause__ = call.error

    @cached_property
    def mistake(self) -> Mistake | None:
        """The mistake that was recognized, if any."""
        error = self.call.error
        return over_limit(error, self.call) if isinstance(error, OverLimit) else diagnose(self.call)

    def __str__(self) -> str:
        call, mistake = self.call, self.mistake
        has_section = mistake is None or mistake.pitfall != NO_SECTION
        lines = [
            *(_call_lines(call) if call.key else ()),
            _came_line(call),
            _line("Expected", self.expected),
            _line("Difference", self.difference),
            _line("Mistake", mistake and mistake.sentence()),
            _line("You may have thought", mistake and mistake.thought),
            _line("Idea", self.idea),
            _line("Read", section(call, mistake and mistake.pitfall, self.pitfall) if has_section else None),
        ]
        return "\n".join(filter(None, lines))

    @property
    def headline(self) -> str:
        """What went wrong, in a few words."""
        if self.mistake:
            return self.mistake.name
        call = self.call
        came = type(call.error).__name__ if call.error is not None else show(call.result, 40)
        return f"{call.aspect or call.name} gave {came}, expected {cut(self.expected or '', 40)}"


@dataclass(frozen=True)
class Outcome(Call):
    """A call of student code, and the ways in which a test looks at it."""

    @property
    def value(self) -> Any:
        """What came back. A test that goes on with it fails with a report when the call raised."""
        __tracebackhide__ = True
        if self.error is not None:
            raise _failure(replace(self, expected=A_VALUE), None, None)
        return self.result

    def attribute(self, name: str) -> "Outcome":
        """The same call, looked at through what it left in an attribute of the object."""
        __tracebackhide__ = True
        return self._seen(lambda result: getattr(result.owner, name), f"{_name_of(self)}.{name}")

    def argument(self, position: int = 0) -> "Outcome":
        """The same call, looked at through what it did to an argument."""
        __tracebackhide__ = True
        return self._seen(lambda result: result.args[position], f"argument {position + 1}")

    def seen_as(self, view: Callable[[Any], Any], aspect: str) -> "Outcome":
        """The same call, looked at through a function of what came back: `outcome.seen_as(list, "the keys")`.

        Wrong solutions are looked at through it too, so it must depend on nothing but its argument.
        """
        __tracebackhide__ = True
        seen = replace(self, look=lambda result: view(self.look(result)))
        try:
            return replace(seen, result=view(self.value), aspect=aspect)
        except (TypeError, ValueError, AttributeError, LookupError):
            # What came back cannot be looked at in this way: then the report says so.
            return replace(seen, unseen=aspect)

    def _seen(self, look: Callable[[Result], Any], aspect: str) -> "Outcome":
        __tracebackhide__ = True
        self.value
        result = look(Result(self.returned, self.owner, self.live_args))
        return replace(self, result=copy.copy(result), look=look, aspect=aspect)

    def shown_as(self, text: str) -> "Outcome":
        """The same call, written in another way in the report."""
        return replace(self, shown=text)


def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Outcome:
    """Call student code. Errors are kept for the report, except NotImplementedError: that is what a TODO says."""
    __tracebackhide__ = True
    owner: Any = getattr(function, "__self__", None)
    method = function.__name__
    outcome = Outcome(
        name=method,
        key=getattr(function, "__qualname__", method),
        owner=owner,
        state=_state(owner),
        args=tuple(map(copied, args)),
        kwargs={name: copied(value) for name, value in kwargs.items()},
        function=function,
        live_args=args,
        number=history.next_number(),
    )
    if owner is not None:
        outcome = replace(outcome, name=f"{_name_of(outcome)}.{method}")
    try:
        value = function(*args, **kwargs)
    except NotImplementedError:
        raise
    except OverLimit as limit:
        return _stopped(outcome, limit)
    except MemoryError as error:
        return _stopped(outcome, _over_memory(error))
    except (Exception, SystemExit) as error:
        outcome = replace(outcome, error=error)
    else:
        outcome = replace(outcome, result=value, returned=value)
    return _remembered(outcome)


def _stopped(outcome: Outcome, limit: OverLimit) -> Outcome:
    """The outcome of a call that was stopped. The limit has a report of it, whether or not a check makes another."""
    if (limit.function or "").startswith("<"):
        # A comprehension is a function for Python, but not for the reader.
        limit.function = outcome.key.split(".")[-1]
    outcome = replace(outcome, error=limit)
    if not outcome.has_long_argument:
        history.endless.add(outcome.key)
    limit.failure = StudentFailure(outcome, None, None)
    return outcome


def _over_memory(error: MemoryError) -> OverLimit:
    """A MemoryError as the limit that it is. What the student's code has taken is freed."""
    place = place_of(error.__traceback__)
    traceback.clear_frames(error.__traceback__)
    function, line = (place.function, (place.file, place.line)) if place else (None, None)
    return OverLimit(function, line, 0.0, megabytes=Limits.megabytes)


def _state(owner: Any) -> dict[str, Any]:
    """A copy of an object's attributes. What is long is copied one level deep, so that this stays fast."""
    return {name: copy.copy(value) if is_long(value) else copied(value) for name, value in attributes(owner).items()}


def _remembered(outcome: Outcome) -> Outcome:
    """The outcome with the state that the call left, kept for later ones unless copying it fails or takes long."""
    if any(map(is_long, (*outcome.args, outcome.returned))):
        return outcome
    with suppress(Exception):
        returned, args = copied(outcome.returned), tuple(map(copied, outcome.live_args))
        outcome = replace(outcome, args_after=args, state_after=_state(outcome.owner))
        history.calls.append(replace(outcome, returned=returned, result=returned))
    return outcome


def check(
    outcome: Outcome,
    expected: Any,
    *,
    idea: str,
    pitfall: str | None = None,
    difference: Difference | None = None,
    mistake: str | None = None,
) -> Any:
    """Fail with a report unless what came is what was expected; return it otherwise.

    Args:
        outcome: from `call`.
        expected: the right value.
        idea: why it is right, in one sentence.
        pitfall: section of the handout to read when no mistake is recognized.
        mistake: the wrong solution of the bank, by its name, that this test was written to find. It goes before
            others that explain the call as well, and is named where no replay can show anything.
        difference: makes the line that says where long values differ; None for the general one.
    """
    __tracebackhide__ = True
    if outcome.error is None and not outcome.unseen and same(outcome.result, expected):
        return outcome.result
    outcome = replace(outcome, expected=expected, known=mistake)
    if outcome.unseen:
        # The report shows the whole that came back, which cannot be compared with a part.
        raise _failure(outcome, f"{outcome.unseen} is {show(expected)}", idea, pitfall)
    line = None
    if outcome.error is None:
        line = difference(outcome, expected) if difference else first_difference(outcome.result, expected)
    raise _failure(outcome, show(expected), idea, pitfall, line)


def check_that(
    fits: bool, outcome: Outcome, expected: str, *, idea: str, pitfall: str | None = None, mistake: str | None = None
) -> None:
    """Fail with a report unless `fits`. For what no single value says; `expected` says it in words."""
    __tracebackhide__ = True
    if outcome.error is not None or not fits:
        raise _failure(replace(outcome, expected=A_VALUE, known=mistake), expected, idea, pitfall)


def check_raises(
    outcome: Outcome, kind: type[Exception], *, saying: str = "", idea: str, pitfall: str | None = None
) -> None:
    """Fail with a report unless the call raised an error of this kind, with `saying` in its message."""
    __tracebackhide__ = True
    if isinstance(outcome.error, kind) and saying in str(outcome.error):
        return
    expected = kind.__name__ + (f" with {saying!r} in its message" if saying else "")
    raise _failure(replace(outcome, expected=kind, message=saying), expected, idea, pitfall)


def examples(test: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator above `@given`, of hypothesis: a test runs on 40 examples, and on the same ones every time.

    A test that fails today fails tomorrow, until the code is right.
    """
    # Only here: the commands that a student waits for do without it.
    from hypothesis import Phase, settings

    phases = [Phase.generate, Phase.shrink]
    options = settings(
        max_examples=40, phases=phases, derandomize=True, database=None, deadline=None, report_multiple_bugs=False
    )
    return options(test)


# --- the report -------------------------------------------------------------------------------------------------------


def _failure(
    outcome: Outcome, expected: str | None, idea: str | None, pitfall: str | None = None, difference: str | None = None
) -> BaseException:
    """The failure of a test; for a call that was stopped, the limit with the failure in it."""
    if isinstance(outcome.error, OverLimit):
        outcome.error.failure = StudentFailure(outcome, expected, idea)
        return outcome.error
    return StudentFailure(outcome, expected or "a value, and no error", idea, pitfall, difference)


def under_limits(
    run: Callable[[], Any],
    *,
    files: Collection[str] = (),
    limits: Limits | None = None,
    crash_report: TextIO | None = None,
) -> Any:
    """Call a function that calls student code, under the limits of a test, and return what it returns.

    Args:
        run: the function.
        files: further files with student code.
        limits: what it may use; by default what a test may.
        crash_report: see `Guard`.

    Raises:
        StudentFailure: a check failed, or the code was stopped. Its text is the report.
    """
    history.begin_test()
    try:
        with Guard(lambda file: file in files or is_student_file(file), limits or Limits(), crash_report).watch():
            return run()
    except OverLimit as limit:
        raise limit_report(limit) from None


def limit_report(limit: OverLimit) -> StudentFailure:
    """The failure for code that was stopped because it took too long or too much memory."""
    nothing_called = Outcome(limit.function or "the test", "", None, {}, (), {}, error=limit)
    return limit.failure or StudentFailure(nothing_called, None, None)


def _call_lines(outcome: Outcome) -> list[str | None]:
    arguments = [show(value) for value in outcome.args]
    arguments += [f"{name}={show(value)}" for name, value in outcome.kwargs.items()]
    called = cut(outcome.shown, WIDTH) or f"{outcome.name}({', '.join(arguments)})"
    return [_line("Called", called), _line(*_state_line(outcome))]


def _came_line(outcome: Outcome) -> str | None:
    if isinstance(outcome.error, OverLimit):
        return _line("Came back", f"nothing: {outcome.error}")
    if outcome.error is not None:
        place = place_of(outcome.error.__traceback__)
        where = f", in {place.function}, {place}" if place else ""
        message = f": {cut(str(outcome.error), WIDTH)}" if str(outcome.error) else ""
        return _line("Came back", f"{type(outcome.error).__name__}{message}{where}")
    if outcome.aspect:
        return _line("Afterwards", f"{outcome.aspect} is {show(outcome.result)}")
    return _line("Came back", show(outcome.result))


def _line(label: str, text: str | None) -> str | None:
    return f"{label + ': ':<12}{cut(' '.join(text.splitlines()), LINE_WIDTH)}" if text else None


def _state_line(outcome: Outcome) -> tuple[str, str | None]:
    """The object's class in a word, and its state before the call in one line; None for what has none."""
    if not outcome.state:
        return "State", None
    describers = {name: describe for module in modules() for name, describe in _describers(module).items()}
    for name in outcome.class_names:
        if name in describers:
            return _noun(outcome), describers[name](outcome.state)
    return _noun(outcome), ", ".join(f"{name} {show(value, 40)}" for name, value in outcome.state.items())


@cache
def _describers(module_id: str) -> dict[str, Callable[[dict[str, Any]], str]]:
    """The functions in mistakes/MODULE/_describe.py: one named like a class describes the state of its objects."""
    path = BANK / module_id / "_describe.py"
    names = runpy.run_path(str(path)) if path.is_file() else {}
    return {name: value for name, value in names.items() if isinstance(value, FunctionType)}


def _noun(outcome: Outcome) -> str:
    """What the object of a call is, in a word: "Tokenizer", whatever a test has derived from WordBPETokenizer."""
    public = outcome.module.public_names if outcome.module else ()
    names = outcome.class_names[:-1]
    name = next((name for name in names if name in public), names[0])
    words: list[str] = re.findall("[A-Z][^A-Z]+", name) or [name]
    return words[-1]


def section(outcome: Call, *pitfalls: str | None) -> str:
    """Where the course explains a mistake: docs/04-pitfalls.md#pitfall-overlap.

    The first of the pitfalls counts that has a section of its own in the pitfalls of this module.
    """
    page = (outcome.module or next(iter(modules().values()))).pitfalls
    known = [pitfall for pitfall in pitfalls if pitfall and f'id="pitfall-{pitfall}"' in _text_of(page)]
    return f"{page}#pitfall-{known[0]}" if known else f"{page}#pitfalls"


@cache
def _text_of(page: str) -> str:
    path = REPOSITORY / page
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def _name_of(outcome: Outcome) -> str:
    """What a student calls such an object: "tokenizer"; a class by its own name."""
    return outcome.owner.__name__ if isinstance(outcome.owner, type) else _noun(outcome).lower()
