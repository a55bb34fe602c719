"""Records calls of student code: what was called, in which state, and what the call left behind."""

import copy
import pickle
import re
from collections import deque
from collections.abc import Callable, Sized
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple

from coach.exercises import Module, modules
from coach.testing.report import Mistake

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
    verb: str
    """Its own name, "encode"."""
    owner: Any
    """The object whose method was called; None for a function."""
    state: dict[str, Any]
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    """The arguments as they were before the call."""
    passed: tuple[Any, ...]
    """The objects themselves that were passed as arguments."""
    is_long: bool
    """Whether one of the arguments is long."""
    history: "History"
    number: int
    effect: Effect = Effect()

    @classmethod
    def none(cls, history: "History", effect: Effect) -> "Call":
        """Make a call in place of one that no test made."""
        return cls(None, "", "", None, {}, (), {}, (), False, history, history.count, effect)

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

    @property
    def noun(self) -> str:
        """Return what the object is in a word: "Tokenizer", even if a test derives its class from WordBPETokenizer."""
        public = self.module.public_names if self.module else ()
        names = self.class_names[:-1]
        name = next((name for name in names if name in public), names[0])
        return str((re.findall("[A-Z][^A-Z]+", name) or [name])[-1])

    def named(self, member: str) -> str:
        """Write an attribute or a method of the object as the student would: "tokenizer.encode"."""
        if self.owner is None:
            return member
        return f"{self.owner.__name__ if isinstance(self.owner, type) else self.noun.lower()}.{member}"

    def before(self, since: int = 0) -> list["Call"]:
        """List the calls kept since the one with this number, the latest first."""
        return [earlier for earlier in reversed(self.history.calls) if since < earlier.number < self.number]


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


@dataclass(eq=False)
class History:
    """Keeps the latest calls of a test run, and other findings that help `diagnose` to find a mistake."""

    diagnose: Callable[[Any], Mistake | None]
    calls: deque[Call] = field(default_factory=lambda: deque(maxlen=400))
    count: int = 0
    test_began: int = 0
    group: str = ""
    passes: dict[str, bool] = field(default_factory=dict)
    """Test group -> whether no test of it has failed so far."""
    endless: set[str] = field(default_factory=set)
    """The functions that did not return although their arguments were short."""
    checked: list[Any] | None = None
    """What tests have looked at, an `Observation` for each check; None if nobody wants to know."""
    effects: dict[int, Any] = field(default_factory=dict)
    """Number of a call -> what the diagnosis knows of it, for the next failure."""

    def begin_test(self, group: str = "") -> None:
        self.test_began = self.count
        self.group = group
        self.passes.setdefault(group, True)

    def next_number(self, key: str) -> int:
        """Number the next call, of the function with this qualified name."""
        self.count += 1
        return self.count
