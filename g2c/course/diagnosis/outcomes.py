"""Makes the outcome of a call, or of its replay on a wrong solution of the bank, so that it can be compared and stored.

Values become texts that are equal if the suites consider the values equal, and texts become hashes. A replay has the
attributes and arguments of the student's call; all code but the wrong function is the answer key's. It is stopped after
a few milliseconds.
"""

import hashlib
import re
import sys
from collections.abc import Callable
from dataclasses import replace
from dis import opmap
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

from g2c.course.diagnosis.bank import entries
from g2c.course.exercises import BANK, Module
from g2c.course.testing.calls import Call, Effect, attributes, copied
from g2c.course.testing.comparison import ABSOLUTE, EXACT, dtype_kind, is_numpy
from g2c.course.testing.limits import OverLimit, call_briefly
from g2c.course.testing.observation import Observation

TICKS = 8
"""How long a wrong solution may run (`call_briefly`). The answer key gets half: if it needs more, a wrong solution
cannot be distinguished from one that never returns."""


class Outcome(NamedTuple):
    left: str
    """A hash of the returned value and of the changed attributes and arguments; of an error, a hash of its class."""
    seen: frozenset[str]
    """Hashes of what the test looked at; two outcomes look alike if they have one in common. An error raised by student
    code has one of its class too, since messages differ."""


def outcome_of(seen: Observation) -> Outcome:
    """Return the outcome of a call as a test looks at it."""
    call, error = seen.call, seen.error
    if error is None:
        looked_at = [f"unseen {text_of(call.effect.value)}" if seen.unseen else text_of(seen.result)]
    elif isinstance(seen.expected, type) and isinstance(error, seen.expected):
        # The right error, whose message may lack what the test wants.
        looked_at = [f"{seen.expected.__name__} {seen.message in str(error)}"]
    else:
        # The message without quoted text and numbers, unless it is about a key or a name.
        shape = re.sub(r"'[^']*'|\"[^\"]*\"|-?\d+", "_", str(error))
        kind = f"error {type(error).__name__}"
        looked_at = [f"{kind} {text_of(error.args) if isinstance(error, (KeyError, NameError)) else shape}"]
        trace = error.__traceback__
        while trace and trace.tb_next:
            trace = trace.tb_next
        if trace and trace.tb_frame.f_code.co_code[trace.tb_lasti] == opmap["RAISE_VARARGS"]:
            looked_at.append(f"{kind} raised")
    return Outcome(left_by(call), frozenset(map(digest, looked_at)))


def left_by(call: Call) -> str:
    """Return a hash of everything that a call left behind, whichever part a test looks at."""
    effect = call.effect
    if effect.error is not None:
        return digest(f"error {type(effect.error).__name__}")
    # The student's code may have added attributes since the first call, such as a cache.
    first = next((one for one in call.history.calls if one.owner is call.owner is not None), call)
    attributes = [(name, effect.state.get(name), call.state.get(name)) for name in first.state or call.state]
    arguments = [(place, value, call.args[place]) for place, value in enumerate(effect.args)]
    changed = [(name, value) for name, value, before in (*attributes, *arguments) if not _equal(value, before)]
    return digest(text_of([effect.value, changed], ordered=True))


def _equal(value: Any, before: Any) -> bool:
    try:
        return bool(value == before)
    except ValueError:
        # Arrays are compared element by element.
        return False


def digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]


def text_of(value: Any, *, ordered: bool = False) -> str:
    """Write a text that is the same for equal values in every process. With `ordered`, a dictionary's order matters.

    >>> import numpy as np
    >>> text_of({"a": np.int64(1), "b": 0.1 + 0.2}) == text_of({"b": 0.3, "a": 1.0})
    True
    >>> text_of([1]) == text_of((1,))
    False
    """
    kind = type(value)
    if kind in EXACT:
        return repr(value)
    if is_numpy(value, "generic"):
        return text_of(value.item(), ordered=ordered)
    if isinstance(value, float):
        return "0" if abs(value) < ABSOLUTE else f"{value:.6g}"
    if isinstance(value, dict):
        items = [f"{text_of(key)}: {text_of(item, ordered=ordered)}" for key, item in value.items()]
        return f"{{{', '.join(items if ordered else sorted(items))}}}"
    if isinstance(value, (list, tuple)):
        items = [text_of(item, ordered=ordered) for item in value]
        text = ", ".join(items)
        return f"[{text}]" if isinstance(value, list) else f"({text}{',' * (len(items) == 1)})"
    if isinstance(value, (set, frozenset)):
        return f"{{{', '.join(sorted(map(text_of, value)))}}}"
    if is_numpy(value):
        return f"array {dtype_kind(value)} {value.shape} {text_of(value.tolist())}"
    if hasattr(value, "__next__"):
        return "an iterator"
    if hasattr(value, "__dict__"):
        return f"{kind.__name__} {text_of(vars(value), ordered=ordered)}"
    # The representation of other objects contains their address.
    return repr(value) if "__repr__" in vars(kind) else kind.__name__


class Replay:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.key = import_module(module.key_import_name)
        self._entries = {entry.name: entry for entry in entries(module.id)}
        self.known = [*self._entries.values()]
        folders = (Path(str(import_module(name).__file__)).parent for name in (self.key.__name__, module.import_name))
        self._files = tuple(map(str, (BANK, *folders)))
        self._stopped: set[tuple[str, str]] = set()
        """Wrong solutions and the functions from which they did not return. They are not run there again."""
        self._exercises: dict[int, frozenset[str]] = {}

    def exercises_of(self, seen: Observation) -> frozenset[str]:
        """Return the names of the answer key's functions that this call runs; none if that takes too long."""
        number = seen.call.number
        if number not in self._exercises:
            names: set[str] = set()

            def note(frame: FrameType, event: str, argument: Any) -> None:
                if event == "call" and frame.f_code.co_filename == self.key.__file__:
                    names.add(frame.f_code.co_qualname)

            before = sys.getprofile()
            sys.setprofile(note)
            try:
                right = self.outcome(seen, None)
            finally:
                sys.setprofile(before)
            self._exercises[number] = frozenset(names if right else ())
        return self._exercises[number]

    def outcome(self, seen: Observation, name: str | None) -> Outcome | None:
        """Return the outcome of a call on a wrong solution, or the answer key (None); None if it cannot run there."""
        call = seen.call
        if name is not None and (name, call.key) in self._stopped:
            return None
        try:
            state, args, kwargs = copied((call.state, call.args, call.kwargs))
            owner, function = self._function(call, state, self._entries[name].solution() if name else vars(self.key))
        except Exception:
            return None
        try:
            ticks = TICKS if name else TICKS // 2
            value = call_briefly(ticks, lambda file: file.startswith(self._files), function, *args, **kwargs)
            effect = Effect(value, None, owner, args, attributes(owner))
        except OverLimit:
            if name is not None:
                self._stopped.add((name, call.key))
            return None
        except (Exception, SystemExit) as error:
            effect = Effect(error=error)
        replayed = replace(seen, call=replace(call, effect=effect), unseen="")
        if effect.error is None:
            try:
                replayed = replace(replayed, result=seen.look(effect))
            except Exception:
                replayed = replace(replayed, unseen="it")
        return outcome_of(replayed)

    def _function(self, call: Call, state: dict[str, Any], names: dict[str, Any]) -> tuple[Any, Callable[..., Any]]:
        """Return the object and the function of the call, made from these names, with the classes that a test derived
        from the owner's."""
        if call.owner is None:
            # A function that the answer key lacks is given, in the exercise file.
            given = names if call.verb in names else vars(import_module(self.module.import_name))
            return None, given[call.verb]
        mro = (call.owner if isinstance(call.owner, type) else type(call.owner)).__mro__
        place = next(i for i, kind in enumerate(mro) if kind.__name__ in self.module.public_names)
        made: Any = names[mro[place].__name__]
        for kind in reversed(mro[:place]):
            body = {name: value for name, value in vars(kind).items() if name not in ("__dict__", "__weakref__")}
            made = type(kind.__name__, (made,), body)
        owner: Any = made if isinstance(call.owner, type) else object.__new__(made)
        if owner is not made:
            vars(owner).update(state)
        return owner, getattr(owner, call.verb)
