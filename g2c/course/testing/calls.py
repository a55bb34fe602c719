"""Calls of student code: what was called and in which state, what each left behind, and those of a whole test run."""

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
"""From this many items on, a value is long: there to show how long a call takes, and slow to copy."""


class Effect(NamedTuple):
    """Keeps what a call left behind, or the same call on other code. A test looks at it with `Observation.look`."""

    value: Any = None
    error: BaseException | None = None
    owner: Any = None
    args: tuple[Any, ...] = ()
    """The arguments after the call; none where copying a value takes too long."""
    state: dict[str, Any] = {}
    """The owner's attributes after the call; none where the same is true."""


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
    """The very objects that were passed as arguments."""
    history: "History"
    number: int
    effect: Effect = Effect()

    def left(self, value: Any, error: BaseException | None) -> "Call":
        """Return the call with what it left behind, which is kept for later unless copying fails or takes long."""
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
        """Say what a student calls such an object: "tokenizer"; a class by its own name."""
        return str(self.owner.__name__) if isinstance(self.owner, type) else self.noun.lower()

    @property
    def noun(self) -> str:
        """Say what the object is, in a word: "Tokenizer", whatever a test has derived from WordBPETokenizer."""
        public = self.module.public_names if self.module else ()
        names = self.class_names[:-1]
        name = next((name for name in names if name in public), names[0])
        return str((re.findall("[A-Z][^A-Z]+", name) or [name])[-1])

    @property
    def has_long_argument(self) -> bool:
        return any(is_long(argument) for argument in self.args)

    @property
    def class_names(self) -> list[str]:
        """List the owner's class and those that it inherits from, the nearest first; the function's own class last."""
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
    """Copy an object's attributes. A long value is copied one level deep, so that this stays fast."""
    return {name: copy.copy(value) if is_long(value) else copied(value) for name, value in attributes(owner).items()}


def copied(value: Any) -> Any:
    """Make a deep copy. Pickling is much faster, but not everything can be pickled."""
    try:
        return pickle.loads(pickle.dumps(value))
    except Exception:
        return copy.deepcopy(value)


class History:
    """Keeps the latest calls of a test run, and what else is known of the code whose mistake `diagnose` looks for."""

    def __init__(self, diagnose: Callable[[Any], Mistake | None]) -> None:
        self.diagnose = diagnose
        self.calls: deque[Call] = deque(maxlen=400)
        self.count = self.test_began = 0
        self.group = ""
        self.passes: dict[str, bool] = {}
        """Test group -> whether no test of it has failed so far."""
        self.endless: set[str] = set()
        """The functions that did not return though their arguments were short."""
        self.memory: dict[str, Any] = {}
        """Module ID -> what the diagnosis has found out about its calls, which the next failure asks about again."""

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
        """Return the attributes that an object had before its first call; None for one that was not seen before.

        Others, such as a cache, are those of the student's code alone.
        """
        return next((call.state for call in self.calls if call.owner is owner and owner is not None), None)
