"""One call of student code: what was called, in which state, what came back, and how a test looked at it."""

import copy
import pickle
from collections import deque
from collections.abc import Callable, Collection, Sized
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from g2c.course.exercises import Module, modules

LONG = 1000
"""From this many items on, a value is long: there to show how long a call takes, and slow to copy."""

NOT_SAID = object()
"""In place of an expected value: the test has none to compare with."""

A_VALUE = object()
"""In place of an expected value: any will do, but no error."""


NO_SECTION = ""
"""In place of a pitfall: no section of a handout explains this mistake, such as a misspelled name."""


class Mistake(NamedTuple):
    """A known mistake. `why` is one or two sentences. `pitfall` names the section of the handout that explains it; None
    leaves that to the test, and NO_SECTION says that none does."""

    name: str
    why: str
    pitfall: str | None = None
    thought: str = ""
    """What a student who makes this mistake was thinking, in the first person."""
    alternatives: tuple[str, ...] = ()
    """Other mistakes that would have given the same."""

    def sentence(self) -> str:
        """
        >>> Mistake("the last ID is lost", "Copy it.", alternatives=("a pair is lost",)).sentence()
        'the last ID is lost (or: a pair is lost). Copy it.'
        """
        others = f" (or: {', or '.join(self.alternatives)})" if self.alternatives else ""
        return f"{self.name}{others}. {self.why}"


class Result(NamedTuple):
    """What a call left behind. A test looks at it through `Call.look`."""

    value: Any
    owner: Any
    """The object whose method was called; None for a function."""
    args: tuple[Any, ...]


@dataclass(frozen=True)
class Call:
    """A call of student code and its result: the returned value, or later a part of the state."""

    name: str
    """As the student would write it: "tokenizer.encode"."""
    key: str
    """The function's qualified name, "BPETokenizer.encode"."""
    owner: Any
    """The object whose method was called; None for a function."""
    state: dict[str, Any]
    """The owner's attributes before the call."""
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    """The arguments as they were before the call."""
    function: Callable[..., Any] | None = None
    """What was called."""
    live_args: tuple[Any, ...] = ()
    """The very objects that were passed."""
    result: Any = None
    error: BaseException | None = None
    returned: Any = None
    """What was returned, whichever part of it `result` is."""
    state_after: dict[str, Any] = field(default_factory=dict)
    args_after: tuple[Any, ...] = ()
    number: int = 0
    """Calls are numbered through a test run."""
    look: Callable[[Result], Any] = lambda result: result.value
    """How a Result becomes `result`."""
    aspect: str = ""
    """What `result` is: "" for the returned value, else for instance "tokenizer.merges"."""
    shown: str = ""
    """The call as the report shows it; made from the name and the arguments when empty."""
    expected: Any = NOT_SAID
    """What the test compares with; the kind of error where it wants one."""
    message: str = ""
    """What the message of the error that the test wants must contain."""
    known: str | None = None
    """The wrong solution of the bank, by its name, that the test was written to find."""
    unseen: str = ""
    """The part of `result` that the test wanted to look at, such as "the keys", where there is no such part."""

    @property
    def has_long_argument(self) -> bool:
        return any(is_long(argument) for argument in self.args)

    @property
    def class_names(self) -> list[str]:
        """The owner's class and those that it inherits from, the nearest first; the function's own class last."""
        kind = self.owner if isinstance(self.owner, type) else type(self.owner)
        return [*(base.__name__ for base in kind.__mro__), self.key.split(".")[0]]

    @property
    def module(self) -> Module | None:
        """The module of the course that the called function belongs to."""
        known = list(modules().values())
        for name in self.class_names:
            if found := [module for module in known if name in module.public_names]:
                return found[0]
        return None


def is_long(value: Any) -> bool:
    return isinstance(value, Sized) and len(value) > LONG


def attributes(owner: Any) -> dict[str, Any]:
    """The attributes of an object; none for a class, and for None."""
    return dict(vars(owner)) if hasattr(owner, "__dict__") and not isinstance(owner, type) else {}


def copied(value: Any) -> Any:
    """A deep copy. Pickling is much faster, but not everything can be pickled."""
    try:
        return pickle.loads(pickle.dumps(value))
    except Exception:
        return copy.deepcopy(value)


class History:
    """The latest calls of a test run: what else is known of the code whose mistake is looked for."""

    def __init__(self) -> None:
        self.clear()

    def clear(self) -> None:
        self.calls: deque[Call] = deque(maxlen=400)
        self.count = 0
        self.test_began = 0
        self.group = ""
        """The test group that is running."""
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
        """Whether the tests of a group are done, and none of them failed."""
        return group != self.group and self.passes.get(group, False)

    def next_number(self) -> int:
        self.count += 1
        return self.count

    def attributes_of(self, owner: Any) -> Collection[str] | None:
        """The attributes that an object had before its first call; None for an object that was not seen before.

        Others, such as a cache, are those of the student's code alone.
        """
        return next((call.state for call in self.calls if call.owner is owner and owner is not None), None)

    def before(self, call: Call) -> list[Call]:
        """The calls before this one, the latest first."""
        return [earlier for earlier in reversed(self.calls) if earlier.number < call.number]


history = History()
