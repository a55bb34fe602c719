"""Lets a test look at a call, and makes the report of a test that has seen something wrong."""

import copy
import runpy
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache, cached_property
from operator import attrgetter
from types import FunctionType
from typing import Any

from coach.common.paths import REPOSITORY
from coach.exercises import BANK, modules
from coach.testing.calls import Call, Effect
from coach.testing.comparison import VALUE_WIDTH, differing_key, first_difference, message_of, show
from coach.testing.limits import OverLimit
from coach.testing.report import NO_SECTION, Mistake, Report, cut, one_line
from coach.testing.student_code import place_of

NOT_SAID = object()
"""In place of an expected value: the test compares with none."""

A_VALUE = object()
"""In place of an expected value: any value will do, but no error."""


@dataclass(frozen=True)
class Observation:
    """Shows a call as a test looks at it: the returned value, or what the call did to an attribute or an argument."""

    call: Call
    result: Any = None
    look: Callable[[Effect], Any] = attrgetter("value")
    """Extracts the result from the effect of a call."""
    part: str = ""
    """What the result is: "" for the returned value, else for instance "tokenizer.merges"."""
    target: str | int | None = None
    """The attribute, or the position of the argument, that the result is; None for the returned value, and for the view
    of a function."""
    shown: str = ""
    """The call as the report shows it; if empty, the name and the arguments."""
    afterwards: bool = False
    """Whether the result is what the call left: an attribute or an argument, or a part of one."""
    unseen: str = ""
    """The part that the test wanted to look at, such as "the keys", if the result has no such part."""
    expected: Any = NOT_SAID
    """The expected value, or the class of the expected error."""
    message: str = ""
    """Text that the message of an expected error must contain."""
    suspect: str | None = None
    """The name of the wrong solution in the bank that the test was written to find."""

    @property
    def error(self) -> BaseException | None:
        return self.call.effect.error

    @property
    def value(self) -> Any:
        """Return the result. If the call raised an error, the test fails with a report."""
        __tracebackhide__ = True
        if self.error is not None:
            raise failure(replace(self, expected=A_VALUE), "", "")
        return self.result

    def attribute(self, name: str) -> "Observation":
        """Look at an attribute of the object after the call."""
        __tracebackhide__ = True
        return self._seen(lambda effect: getattr(effect.owner, name), part=self.call.named(name), target=name)

    def argument(self, position: int = 0) -> "Observation":
        """Look at an argument after the call."""
        __tracebackhide__ = True
        return self._seen(lambda effect: effect.args[position], part=f"argument {position + 1}", target=position)

    def seen_as(self, view: Callable[[Any], Any], aspect: str) -> "Observation":
        """Look at the result through a function: `outcome.seen_as(list, "the keys")`.

        Results of wrong solutions pass through the same function, so it must depend only on its argument.
        """
        __tracebackhide__ = True
        seen = replace(self, look=lambda effect: view(self.look(effect)), target=None)
        try:
            return replace(seen, result=view(self.value), part=aspect)
        except (TypeError, ValueError, AttributeError, LookupError):
            # The report says that the result has no such part.
            return replace(seen, unseen=aspect)

    def _seen(self, look: Callable[[Effect], Any], **changes: Any) -> "Observation":
        __tracebackhide__ = True
        self.value
        live = self.call.effect._replace(args=self.call.passed)
        return replace(self, result=copy.copy(look(live)), look=look, afterwards=True, **changes)

    def checked(self, **fields: Any) -> "Observation":
        """Return this observation with what a test expects, and keep it in the history of a run that wants it."""
        seen = replace(self, **fields)
        if self.call.history.checked is not None:
            self.call.history.checked.append(seen)
        return seen

    def shown_as(self, text: str) -> "Observation":
        """Let the report show this text in place of the call."""
        return replace(self, shown=text)


class SaidInANotebook(Exception):
    """Has IPython print its text alone, without a traceback."""

    def _render_traceback_(self) -> list[str]:
        return str(self).splitlines()


class WrongAnswer(SaidInANotebook, AssertionError):
    """Says that code outside a suite is wrong, such as an answer in a notebook. Its text is the reports."""

    def __init__(self, *reports: Report) -> None:
        super().__init__("\n\n".join(map(str, reports)))
        self.reports = reports


class NotWritten(SaidInANotebook, NotImplementedError):
    """Says that an answer in a notebook cannot be checked, as it or an exercise that it calls is not written."""


@dataclass(eq=False, repr=False)
class StudentFailure(AssertionError):
    """Says that a test of student code failed. Its text is the report."""

    observation: Observation
    expected: str = ""
    idea: str = ""
    pitfall: str | None = None
    difference: str | None = None
    """The line that says where long values differ; None for the general line."""

    def __post_init__(self) -> None:
        self.__cause__ = self.observation.error

    @cached_property
    def report(self) -> Report:
        """Make the report when it is first needed: searching for the mistake takes a moment."""
        seen, call = self.observation, self.observation.call
        mistake: Mistake | None = call.history.diagnose(seen)
        has_section = mistake is None or mistake.pitfall != NO_SECTION
        page = (call.module or next(iter(modules().values()))).pitfalls if has_section else ""
        part, came = seen.part if seen.error is None else "", _came(seen)
        expected, difference = self.expected, self.difference
        if difference is None and seen.error is None and not seen.unseen:
            difference = first_difference(seen.result, seen.expected)
            if difference and isinstance(seen.expected, dict) and part.replace(".", "").isidentifier():
                # Of an attribute that is a long dictionary, the first wrong entry is shown alone.
                key = differing_key(seen.result, seen.expected)
                both = (show(table[key]) if key in table else "missing" for table in (seen.result, seen.expected))
                part, difference, (came, expected) = f"{part}[{key!r}]", None, both
        arguments = [show(value) for value in call.args]
        arguments += [f"{name}={show(value)}" for name, value in call.kwargs.items()]
        name = call.named(call.verb)
        called = cut(seen.shown, VALUE_WIDTH) or f"{name}({', '.join(arguments)})"
        gave = show(seen.result, 40) if seen.error is None else type(seen.error).__name__
        in_short = f"{seen.part or name} gave {gave}, expected {cut(self.expected, 40)}"
        return Report(
            headline=mistake.name if mistake else in_short,
            called=one_line(called) if call.key else "",
            noun=call.noun if call.state else "",
            state=one_line(_described(call)),
            part=part,
            afterwards=seen.afterwards and seen.error is None,
            came=one_line(came),
            expected=one_line(expected),
            difference=one_line(difference or ""),
            mistake=mistake,
            idea=self.idea,
            page=page,
            pitfall=_section(page, mistake.pitfall if mistake else None, self.pitfall),
        )

    def __str__(self) -> str:
        return str(self.report)


def failure(
    seen: Observation, expected: str, idea: str, pitfall: str | None = None, difference: str | None = None
) -> BaseException:
    """Make the failure of a test; for a call that was stopped, the OverLimit that carries it."""
    if isinstance(seen.error, OverLimit):
        seen.error.failure = StudentFailure(seen, expected, idea)
        return seen.error
    return StudentFailure(seen, expected or "a value, and no error", idea, pitfall, difference)


def _came(seen: Observation) -> str:
    error = seen.error
    if error is None:
        return show(seen.result)
    if isinstance(error, OverLimit):
        return f"nothing: {error}"
    place = place_of(error.__traceback__)
    where = f", in {place.function}, {place}" if place else ""
    said = message_of(error)
    message = f": {cut(said, VALUE_WIDTH)}" if said else ""
    return f"{type(error).__name__}{message}{where}"


def _described(call: Call) -> str:
    """Describe the object's state in its own way, or list its attributes, which any code may have changed."""
    for describe in (_describers()[name] for name in call.class_names if call.state and name in _describers()):
        with suppress(Exception):
            return describe(call.state)
    return ", ".join(f"{name} {show(value, 40)}" for name, value in call.state.items())


@cache
def _describers() -> dict[str, Callable[[dict[str, Any]], str]]:
    """Load the functions in mistakes/MODULE/_describe.py. Each is named like the class whose objects it describes."""
    names: dict[str, Any] = {}
    for path in BANK.glob("*/_describe.py"):
        names |= runpy.run_path(str(path))
    return {name: value for name, value in names.items() if isinstance(value, FunctionType)}


@cache
def _section(page: str, *pitfalls: str | None) -> str:
    """Choose the first of the pitfalls that has a section on a page; "" if none has."""
    path = REPOSITORY / page
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    return next((one for one in pitfalls if one and f'id="pitfall-{one}"' in text), "")
