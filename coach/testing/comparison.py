"""Compares results with expected values, says where they differ, and shows values in one line.

numpy is not imported here: if nobody has imported it, no value is an array.
"""

import inspect
import math
import re
import sys
from collections.abc import Callable, Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from coach.testing.report import cut

if TYPE_CHECKING:
    import numpy as np

VALUE_WIDTH = 110
"""Characters that a value may take in one line of a report."""

MESSAGE = 4000
"""Characters of an error's message that are read."""

EXACT = {int, str, bytes, bool, type(None)}
"""Types whose values are equal if their representations are."""

RELATIVE = 1e-6
ABSOLUTE = 1e-9
"""How far two floats may lie apart and still count as equal."""


def repr_of(value: Any) -> str:
    """Return a value's repr; its class if the student's `__repr__` raises an error, or Python refuses a long number."""
    try:
        return repr(value)
    except Exception as error:
        return f"<{type(value).__name__}, which repr cannot show: {type(error).__name__}>"


def message_of(error: BaseException) -> str:
    """Return an error's message, cut: regexes search in it. It is empty if the student's `__str__` raises an error."""
    try:
        return str(error)[:MESSAGE]
    except Exception:
        return ""


def is_numpy(value: Any, name: str = "ndarray") -> bool:
    """Tell whether a value is an instance of this numpy class."""
    numpy: Any = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, getattr(numpy, name))


def same(actual: Any, expected: Any) -> bool:
    """Tell whether the suites consider two values equal: the class of a number does not matter, that of a list does.

    Floats are compared with a tolerance, integers exactly, arrays by shape, kind of dtype and values.

    >>> import numpy as np
    >>> same({"weight": np.array([0.1 + 0.2])}, {"weight": np.array([0.3])})
    True
    >>> same(np.array([1, 2]), [1, 2])
    False
    """
    if is_numpy(actual, "bool_"):
        actual = bool(actual)
    if type(actual) is type(expected) and type(expected) in EXACT:
        return bool(actual == expected)
    if is_numpy(expected):
        has_same_form = is_numpy(actual) and actual.shape == expected.shape
        is_alike = has_same_form and dtype_kind(actual) == dtype_kind(expected)
        return is_alike and not _differing(actual, expected).any()
    if isinstance(expected, (list, tuple)):
        is_alike = isinstance(actual, type(expected)) and len(actual) == len(expected)
        return is_alike and all(map(same, actual, expected))
    if is_numpy(actual) or (isinstance(expected, bytes) and not isinstance(actual, bytes)):
        return False
    if isinstance(actual, bool) != isinstance(expected, bool):
        return False
    if isinstance(expected, dict) and isinstance(actual, Mapping):
        return actual.keys() == expected.keys() and all(same(actual[key], value) for key, value in expected.items())
    if (isinstance(expected, float) or is_numpy(expected, "floating")) and isinstance(actual, Real):
        return math.isclose(actual, expected, rel_tol=RELATIVE, abs_tol=ABSOLUTE)
    # numpy would round the integer to the type of its float: 2049 to 2048, and 100,000 to infinity.
    return bool((actual.item() if is_numpy(actual, "floating") else actual) == expected)


def dtype_kind(array: "np.ndarray") -> str:
    names = {"i": "integer", "u": "integer", "f": "float", "b": "bool", "c": "complex"}
    return names.get(array.dtype.kind, str(array.dtype))


def _differing(actual: "np.ndarray", expected: "np.ndarray") -> "np.ndarray":
    """Return an array that is True where two arrays of one shape differ."""
    import numpy as np

    if actual.dtype.kind in "fc":
        return ~np.asarray(np.isclose(actual, expected, rtol=RELATIVE, atol=ABSOLUTE))
    return np.asarray(np.not_equal(actual, expected))


def first_difference(actual: Any, expected: Any) -> str | None:
    """Say where two values differ; None if that is easy to see.

    >>> import numpy as np
    >>> first_difference(np.zeros((2, 3)), np.zeros((3, 2)))
    'the shape is (2, 3), but (3, 2) was expected'
    >>> first_difference("caf\\u00e9", "cafe\\u0301")
    "they look alike, but differ at position 3; from 1 on yours is 'af\\\\xe9', expected 'afe\\\\u0301'"
    """
    if not isinstance(actual, type(expected)):
        return None
    if is_numpy(expected):
        return _array_difference(actual, expected)
    if isinstance(expected, str) and normalize("NFC", actual) == normalize("NFC", expected):
        # A letter with an accent may be one character or two.
        return f"they look alike, but differ {_sequence_difference(actual, expected, ascii)}"
    if len(repr_of(actual)) <= VALUE_WIDTH and len(repr_of(expected)) <= VALUE_WIDTH:
        return None
    if isinstance(expected, dict):
        key = differing_key(actual, expected)
        yours, theirs = (show(table[key], 40) if key in table else "nothing" for table in (actual, expected))
        return f"at {show(key, 40)}: yours is {yours}, expected {theirs}"
    if isinstance(expected, tuple):
        differing = (both for both in zip(actual, expected) if not same(*both))
        return next((first_difference(*both) for both in differing), None)
    if isinstance(expected, (list, str, bytes)):
        return _sequence_difference(actual, expected)
    return None


def _array_difference(actual: "np.ndarray", expected: "np.ndarray") -> str | None:
    if actual.shape != expected.shape:
        return f"the shape is {actual.shape}, but {expected.shape} was expected"
    if dtype_kind(actual) != dtype_kind(expected):
        return f"the dtype is {actual.dtype}, but {expected.dtype} was expected"
    places = list(zip(*_differing(actual, expected).nonzero()))
    if not places:
        return None
    place = tuple(map(int, places[0]))
    more = f" ({len(places)} of {actual.size} values differ)" if len(places) > 1 else ""
    return f"at {list(place)}: yours is {actual[place].item()!r}, expected {expected[place].item()!r}{more}"


def _sequence_difference(actual: Any, expected: Any, shown: Callable[[object], str] = repr_of) -> str:
    end = min(len(actual), len(expected))
    position = next((i for i in range(end) if not same(actual[i], expected[i])), end)
    start = max(position - 2, 0)
    yours, theirs = (shown(values[start : position + 4]) for values in (actual, expected))
    return f"at position {position}; from {start} on yours is {yours}, expected {theirs}"


def differing_key(actual: dict[Any, Any], expected: dict[Any, Any]) -> Any:
    """Return the first key at which two dictionaries differ; None if they do not."""
    keys = {**expected, **actual}
    differ = (k for k in keys if k not in actual or k not in expected or not same(actual[k], expected[k]))
    return next(differ, None)


_UNITS = {str: "characters", bytes: "bytes", dict: "entries", list: "items"}


def show(value: Any, width: int = VALUE_WIDTH) -> str:
    """Write a value in one line of about `width` characters: its repr without addresses, or its length and beginning. A
    small dictionary may take half as much again. Of one with an entry for each byte, the end tells more.

    >>> import numpy as np
    >>> show(list(range(1000)), 40)
    '1000 items, [0, 1, 2, 3, 4, 5, 6, ...'
    >>> show(np.zeros((100, 4), dtype=np.float32), 60)
    'array (100, 4) float32, [[0. 0. 0. 0.] [0. 0. 0. 0.] [0. ...'
    >>> show((iter([1]), 2)), show(["one long text"], 12)
    ('(<list_iterator object>, 2)', "['one lon...")
    >>> show({b"th": 7} | {bytes([byte]): byte for byte in range(256)} | {b"ab": 256}, 80)
    "258 entries, {..., b'\\\\xfd': 253, b'\\\\xfe': 254, b'\\\\xff': 255, b'ab': 256}"
    """
    if is_numpy(value):
        text = " ".join(repr_of(value).split())
        values = " ".join(str(value).split())
        return text if len(text) <= width else cut(f"array {value.shape} {value.dtype}, {values}", width)
    text = re.sub(" at 0x[0-9a-f]+>", ">", repr_of(value))
    entries = len(value) if isinstance(value, dict) else 0
    if len(text) <= (width * 3 // 2 if 0 < entries <= 16 else width):
        return text
    if entries >= 256:
        return f"{entries} entries, {{..., {cut(repr_of(dict([*value.items()][-4:]))[1:], width - 20)}"
    if isinstance(value, tuple) and 0 < len(value) < width // 20:
        return f"({', '.join(show(item, width // len(value)) for item in value)})"
    unit = next((unit for kind, unit in _UNITS.items() if isinstance(value, kind)), None)
    return f"{len(value)} {unit}, {cut(text, width - 15)}" if unit and len(value) > 1 else cut(text, width)


# --- kinds of values --------------------------------------------------------------------------------------------------

_KIND_NAMES: dict[type, str] = {list: "a list", tuple: "a tuple", dict: "a dictionary", str: "text", bytes: "bytes"}
_KIND_NAMES |= {Integral: "an integer", Real: "a float", type(None): "None"}


def kind_name(value: Any) -> str:
    """Say what kind of value this is.

    >>> kind_name([1]), kind_name(iter([1])), kind_name(True)
    ('a list', 'an iterator', 'True')
    """
    if isinstance(value, bool) or is_numpy(value, "bool_"):
        return str(value)
    if is_numpy(value):
        return "an array"
    if hasattr(value, "__next__"):
        return "an iterator"
    if inspect.isroutine(value):
        return "a function"
    name = f"an object of class {type(value).__name__}"
    return next((known for kind, known in _KIND_NAMES.items() if isinstance(value, kind)), name)


def differing_kinds(actual: Any, expected: Any) -> tuple[str, str] | None:
    """Name the two kinds if a value, or a part of it, has another kind than expected: ("a list", "a tuple")."""
    kinds = kind_name(actual), kind_name(expected)
    if kinds == ("an integer", "a float"):
        return None
    if kinds[0] != kinds[1]:
        return None if isinstance(actual, type(expected)) or actual is None else kinds
    if isinstance(expected, dict):
        actual, expected = list(actual.items()), list(expected.items())
    both = zip(actual, expected) if isinstance(expected, (list, tuple)) else ()
    return next(filter(None, (differing_kinds(mine, theirs) for mine, theirs in both)), None)
