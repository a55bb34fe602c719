"""Turns what a call did into short hashes, which can be compared and stored.

Values become texts that are equal if the suites consider the values equal, and texts become hashes. They are the same
on every machine and in every version of Python: of an error, only the class counts, and what `kind_of` reads from it.
"""

import hashlib
from dis import opmap
from inspect import CO_NEWLOCALS
from typing import Any, NamedTuple

from coach.diagnosis.slips import class_of, kind_of
from coach.testing.calls import Call
from coach.testing.comparison import ABSOLUTE, EXACT, dtype_kind, is_numpy, message_of, repr_of
from coach.testing.observation import Observation


class Outcome(NamedTuple):
    left: str
    """A hash of the returned value and of the changed attributes and arguments; of an error, a hash of its class."""
    looked_at: frozenset[str]
    """Hashes of what the test looked at. Two outcomes look alike if they have one in common."""


def outcome_of(seen: Observation) -> Outcome:
    """Return the outcome of a call as a test looks at it."""
    error = seen.error
    is_of_kind = isinstance(seen.expected, type) and isinstance(error, seen.expected)
    if error is None:
        texts = [f"unseen {text_of(seen.call.effect.value)}" if seen.unseen else text_of(seen.result)]
    elif is_of_kind and is_raised_by_a_statement(error, in_doubt=True):
        # The right error, whose message may lack what the test wants.
        texts = [f"{seen.expected.__name__} {seen.message in message_of(error)}"]
    else:
        texts = [f"error {kind_of(error)}"]
        if is_raised_by_a_statement(error):
            # Messages of one's own differ.
            texts.append(f"error {class_of(error)} raised")
    return Outcome(left_by(seen.call), frozenset(map(digest, texts)))


def is_raised_by_a_statement(error: BaseException, *, in_doubt: bool = False) -> bool:
    """Tell whether a `raise` in a function raised an error, and not an operation of Python; `in_doubt` if unknown."""
    trace = error.__traceback__
    while trace and trace.tb_next:
        trace = trace.tb_next
    code = trace.tb_frame.f_code if trace else None
    if not trace or not code or not code.co_flags & CO_NEWLOCALS:
        # Grading raises every error anew, outside a function.
        return in_doubt
    return code.co_code[trace.tb_lasti] == opmap["RAISE_VARARGS"]


def left_by(call: Call) -> str:
    """Return a hash of everything that a call left behind, whichever part a test looks at."""
    effect = call.effect
    if effect.error is not None:
        return digest(f"error {class_of(effect.error)}")
    # The student's code may have added attributes since the first call, such as a cache.
    first = next((one for one in call.history.calls if one.owner is call.owner is not None), call)
    attributes = [(name, effect.state.get(name), call.state.get(name)) for name in first.state or call.state]
    arguments = [(place, value, call.args[place]) for place, value in enumerate(effect.args)]
    changed = [(name, value) for name, value, before in (*attributes, *arguments) if not _equal(value, before)]
    return digest(text_of([effect.value, changed], ordered=True))


def name_of(seen: Observation) -> str:
    """Return the hash under which a call is stored: of function, public attributes, arguments and what is tested."""
    call, wanted = seen.call, seen.expected
    state = {name: value for name, value in call.state.items() if not name.startswith("_")}
    error = f"{wanted.__name__} {seen.message}" if isinstance(wanted, type) else ""
    return digest(text_of([call.key, state, call.args, call.kwargs, seen.unseen or seen.part, error], ordered=True), 10)


def _equal(value: Any, before: Any) -> bool:
    try:
        return bool(value == before)
    except ValueError:
        # Arrays are compared element by element.
        return False


def digest(text: str, length: int = 8) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:length]


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
        return repr_of(value)
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
        return f"array {dtype_kind(value)} {value.shape} {text_of(value.ravel().tolist())}"
    if hasattr(value, "__next__"):
        return "an iterator"
    if hasattr(value, "__dict__"):
        return f"{kind.__name__} {text_of(vars(value), ordered=ordered)}"
    # The representation of other objects contains their address.
    return repr_of(value) if "__repr__" in vars(kind) else kind.__name__
