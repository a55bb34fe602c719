"""The outcome of a call, in a form that can be stored and compared with the outcome of another.

Values become texts that are equal where the suites would call the values equal, and texts become hashes.
"""

import hashlib
import re
from dis import opmap
from typing import Any, NamedTuple

import numpy as np

from g2c.course.testing.calls import Call, history
from g2c.course.testing.comparison import ABSOLUTE, dtype_kind

EXACT = {int, str, bytes, bool, type(None)}
"""Types whose values are equal where their representations are."""


class Outcome(NamedTuple):
    """The outcome of a call.

    Attributes:
        left: a hash of what was returned, and of the attributes and arguments that were changed; of an error, only its
            kind.
        seen: hashes of what the test looked at. An error has two: where somebody wrote the `raise`, its kind is enough,
            because each writes another message.
    """

    left: str
    seen: frozenset[str]

    def looks_like(self, other: "Outcome") -> bool:
        """Whether the test sees the same."""
        return not self.seen.isdisjoint(other.seen)


def outcome_of(call: Call) -> Outcome:
    error, left = call.error, f"error {type(call.error).__name__}"
    if error is None:
        seen = [f"unseen {text_of(call.returned)}" if call.unseen else text_of(call.result)]
        names = history.attributes_of(call.owner) or call.state
        attributes = [(name, call.state_after.get(name), call.state.get(name)) for name in names]
        changed = [
            *((name, value) for name, value, before in attributes if not _equal(value, before)),
            *((place, value) for place, value in enumerate(call.args_after) if not _equal(value, call.args[place])),
        ]
        left = text_of([call.returned, changed], ordered=True)
    elif isinstance(call.expected, type) and isinstance(error, call.expected):
        # The right error; its message may lack what the test wants.
        seen = [f"{call.expected.__name__} {call.message in str(error)}"]
    else:
        # The message without what is in quotation marks, and without numbers, unless it is about a key or a name.
        shape = re.sub(r"'[^']*'|\"[^\"]*\"|-?\d+", "_", str(error))
        seen = [f"{left} {text_of(error.args) if isinstance(error, (KeyError, NameError)) else shape}"]
        trace = error.__traceback__
        while trace and trace.tb_next:
            trace = trace.tb_next
        if trace and trace.tb_frame.f_code.co_code[trace.tb_lasti] == opmap["RAISE_VARARGS"]:
            seen.append(f"{left} raised")
    return Outcome(digest(left), frozenset(map(digest, seen)))


def _equal(value: Any, before: Any) -> bool:
    try:
        return bool(value == before)
    except ValueError:
        # Arrays.
        return False


def digest(text: str) -> str:
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()[:12]


def text_of(value: Any, *, ordered: bool = False) -> str:
    """A text that is the same for equal values, in every process. With `ordered`, the order of a dictionary counts.

    >>> text_of({"a": np.int64(1), "b": 0.1 + 0.2}) == text_of({"b": 0.3, "a": 1.0})
    True
    >>> text_of([1]) == text_of((1,))
    False
    """
    kind = type(value)
    if kind in EXACT:
        return repr(value)
    if isinstance(value, np.generic):
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
    if isinstance(value, np.ndarray):
        return f"array {dtype_kind(value)} {value.shape} {text_of(value.tolist())}"
    if hasattr(value, "__next__"):
        return "an iterator"
    if hasattr(value, "__dict__"):
        return f"{kind.__name__} {text_of(vars(value), ordered=ordered)}"
    # The representation of other objects has their address.
    return repr(value) if "__repr__" in vars(kind) else kind.__name__
