"""Records calls of student code: what was called, in which state, and what the call left behind."""

import copy
import pickle
import re
from collections import deque
from collections.abc import Callable, Collection, Sized
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple

from g2c.course.exercises import Module, modules
from g2c.course.testing.report import Mistake

LONG_VALUE = 1000
"""A value with more items is long: it is slow to copy, and tests pass it to show how long a call takes."""


class Effect(NamedTuple):
    """Keeps what a call left behind, or its replay on other code. A test looks at it with `Observation.look`."""

    value: Any = None
    error: BaseException | None = None
    owner: Any = None
    args: tuple[Any, ...] = ()
    """The arguments after the call; none if copying a value takes too long."""
    state: dict[str, Any] = {}
    """The owner's attributes after the call; none for the same reason."""


@dataclass(frozen=True)
class Call:
    function: Callable[..., Any] | None
    key: str
    """The function's qualified name, "BPETokenizer.encode"."""
    owner: Any
    """The object whose method was called; None for a function."""
    state: dict[str, Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    """The arguments as they were before the call."""
    passed: tuple[Any, ...]
    """The objects themselves that were passed as arguments."""
    history: "History"
    number: int
    effect: Effect = Effect()

    def left(self, value: Any, error: BaseException | None) -> "Call":
        """Return the call with what it left behind, and keep a copy for later unless copying fails or takes long."""
        made = replace(self, effect=Effect(value, error, self.owner))
        if not any(map(is_long, (*self.args, value))):
            with suppress(Exception):
                copies = Effect(copied(value), error, self.owner, tuple(map(copied, self.passed)), state_of(self.owner))
                self.history.calls.append(replace(self, effect=copies))
                made = replace(self, effect=copies._replace(value=value))
        return made

    @property
    def verb(self) -> str:
        """Return the function's own name: "encode"."""
        return self.key.split(".")[-1]

    @property
    def name(self) -> str:
        """Write the function as the student would: "tokenizer.encode"."""
        return self.verb if self.owner is None else f"{self.owner_name}.{self.verb}"

    @property
    def owner_name(self) -> str:
        """Return what a student calls the object: "tokenizer", or for a class its name."""
        return str(self.owner.__name__) if isinstance(self.owner, type) else self.noun.lower()

    @property
    def noun(self) -> str:
        """Return what the object is in a word: "Tokenizer", even if a test derives its class from WordBPETokenizer."""
        public = self.module.public_names if self.module else ()
        names = self.class_names[:-1]
        name = next((name for name in names if name in public), names[0])
        return str((re.findall("[A-Z][^A-Z]+", name) or [name])[-1])

    @property
    def has_long_argument(self) -> bool:
        return any(is_long(argument) for argument in self.args)

    @property
    def class_names(self) -> list[str]:
        """List the owner's class and its base classes, the nearest first, then the function's own class."""
        kind = self.owner if isinstance(self.owner, type) else type(self.owner)
        return [*(base.__name__ for base in kind.__mro__), self.key.split(".")[0]]

    @cached_property
    def module(self) -> Module | None:
        """Find the module of the course that the called function belongs to."""
        found = (module for name in self.class_names for module in modules().values() if name in module.public_names)
        return next(found, None)

    def before(self) -> list["Call"]:
        return [earlier for earlier in reversed(self.history.calls) if earlier.number < self.number]

    def before_in_test(self) -> list["Call"]:
        return [earlier for earlier in self.before() if earlier.number > self.history.test_began]


def is_long(value: Any) -> bool:
    return isinstance(value, Sized) and len(value) > LONG_VALUE


def attributes(owner: Any) -> dict[str, Any]:
    return dict(vars(owner)) if hasattr(owner, "__dict__") and not isinstance(owner, type) else {}


def state_of(owner: Any) -> dict[str, Any]:
    """Copy an object's attributes. To stay fast, a long value is copied one level deep."""
    return {name: copy.copy(value) if is_long(value) else copied(value) for name, value in attributes(owner).items()}


def copied(value: Any) -> Any:
    """Make a deep copy. Pickling is much faster, but not everything can be pickled."""
    try:
        return pickle.loads(pickle.dumps(value))
    except Exception:
        return copy.deepcopy(value)


class History:
    """Keeps the latest calls of a test run, and other findings that help `diagnose` to find a mistake."""

    def __init__(self, diagnose: Callable[[Any], Mistake | None]) -> None:
        self.diagnose = diagnose
        self.calls: deque[Call] = deque(maxlen=400)
        self.count = self.test_began = 0
        self.group = ""
        self.passes: dict[str, bool] = {}
        """Test group -> whether no test of it has failed so far."""
        self.endless: set[str] = set()
        """The functions that did not return although their arguments were short."""
        self.memory: dict[str, Any] = {}
        """Module ID -> the diagnosis's findings about its calls, for the next failure."""

    def begin_test(self, group: str = "") -> None:
        self.test_began = self.count
        self.group = group
        self.passes.setdefault(group, True)

    def has_passed(self, group: str) -> bool:
        """Tell whether the tests of a group are done, and none of them failed."""
        return group != self.group and self.passes.get(group, False)

    def next_number(self, key: str) -> int:
        """Number the next call, of the function with this qualified name."""
        self.count += 1
        return self.count

    def attributes_of(self, owner: Any) -> Collection[str] | None:
        """Return the attributes that an object had before its first call; None for an unknown object.

        The student's code may have added others, such as a cache.
        """
        return next((call.state for call in self.calls if call.owner is owner and owner is not None), None)
