"""Errors of the student's code, raised again in the test runner as if they came from the student's file."""

import builtins
import traceback
from types import CodeType
from typing import Any, NamedTuple, NoReturn

from g2c.common import errors
from g2c.common.paths import REPOSITORY
from g2c.course.limits import OverLimit

MAX_LINE = 1_000_000
ERRORS: dict[str, type[Exception]] = {
    name: kind
    for module in (errors, builtins)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and issubclass(kind, Exception) and kind is not ExceptionGroup
}
"""The errors that arrive as what they are. A group holds errors, which do not travel."""


class Origin(NamedTuple):
    """Where in the student's code something happened. `file` is relative to the course's folder."""

    function: str
    file: str
    line: int

    @classmethod
    def from_answer(cls, fields: Any) -> "Origin | None":
        """The origin that an answer of the sandbox names, which may be anything."""
        if not fields:
            return None
        function, file, line = fields
        return cls(str(function), str(file), min(max(int(line), 1), MAX_LINE))


def make_error(kinds: list[str], arguments: tuple[Any, ...], text: str) -> Exception:
    """An error of the kind that was raised. One that would end the test runner comes as an Exception of its name.

    Args:
        kinds: the names of the error's class and of its base classes, most specific first.
        arguments: the error's `args`.
        text: its `str`.
    """
    base = next((ERRORS[kind] for kind in kinds if kind in ERRORS), Exception)
    if base.__name__ == kinds[0] and _is_safe(base, arguments):
        try:
            return base(*arguments)
        except Exception:
            pass
    name = kinds[0] if kinds[0].isidentifier() else "Exception"
    members = {"__init__": lambda self, text: None, "__str__": lambda self: text}
    error: Exception = type(name, (base,), members)(text)
    return error


def _is_safe(kind: type[Exception], arguments: tuple[Any, ...]) -> bool:
    """Whether an error can be made of these arguments. Python shows the byte at the place that a UnicodeDecodeError
    names, and reads it wherever in the memory of this process that is."""
    if not issubclass(kind, UnicodeError) or kind is UnicodeError:
        return True
    *_, content, start, end, _ = arguments if len(arguments) >= 4 else (b"", 0, 0, "")
    return (
        isinstance(content, (str, bytes))
        and all(type(place) is int for place in (start, end))
        and (0 <= start < end <= len(content))
    )


def over_limit(
    function: str, origin: Origin | None, seconds: float, *, megabytes: int = 0, returns: bool = False
) -> OverLimit:
    """The error for student code that was stopped; see `OverLimit`."""
    place = (str(REPOSITORY / origin.file), origin.line) if origin else None
    return OverLimit(function, place, seconds, megabytes=megabytes, returns=returns)


def raise_at(error: Exception, origin: Origin) -> NoReturn:
    """Raise an error with a traceback that ends in the student's file, where reports look for the place."""
    exec(_raising_code(origin), {"error": error})
    raise AssertionError("unreachable")


def origin_of(error: Exception, file: str) -> Origin:
    """The place in `file` that `raise_at` has put into the traceback of an error."""
    frame, line = list(traceback.walk_tb(error.__traceback__))[-1]
    return Origin(frame.f_code.co_name, file, line)


def _raising_code(origin: Origin) -> CodeType:
    """Code that raises `error` in this function, at this line of this file."""
    source = "\n" * (origin.line - 1) + "raise error from None"
    return compile(source, str(REPOSITORY / origin.file), "exec").replace(co_name=origin.function)
