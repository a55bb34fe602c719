"""Values as plain data, as answers travel from the student's process to the test runner (wire.py).

`decode` returns builtin types, numpy arrays and objects of the classes that it is given: what comes out of it runs no
student's code, and no name that comes over the wire is imported or looked up anywhere else. A list is a plain list,
whatever subclass it was; a value that cannot be encoded arrives as an `OpaqueValue`, which equals nothing but itself.
Where that is passed to the student's code again, the student's process takes the value itself, which it has kept.

>>> decode(encode([(1, 2), {b"ab": 3.5}, {7}]))
[(1, 2), {b'ab': 3.5}, {7}]
>>> decode(encode(iter("ab")))
<str_...iterator object at ...>
"""

import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from itertools import count
from types import MappingProxyType
from typing import Any

import numpy as np

from g2c.grading.wire import PLAIN

MAX_DEPTH = 40
MAX_INT_BITS = 10_000
WIRE_INT_BITS = 63
MAX_REPR = 200
MAX_KEPT = 1000
CONTAINERS: dict[str, Callable[[Any], Any]] = {"tuple": tuple, "set": set, "frozenset": frozenset}
MAPPINGS: dict[str, Callable[[Any], Any]] = {"dict": dict, "Counter": Counter, "OrderedDict": OrderedDict}
Classes = Mapping[str, type]
"""The classes of the course's given code that objects may have, by name."""
_COURSE = f"{__name__.split('.')[0]}."
ARRAYS = {np.dtype(code).str: np.dtype(code) for code in "?bBhHiIlLqQefd"}
"""The name of each type of array that travels, and the type."""


class OpaqueValue:
    """Stands for a value that cannot be encoded. Its `repr` is the value's, and its number finds the value again."""

    def __init__(self, text: str, number: int = 0) -> None:
        self.text = text
        self.number = number

    def __repr__(self) -> str:
        return self.text


class OpaqueIterator(OpaqueValue):
    """Stands for an iterator, which only the student's process can read."""

    def __next__(self) -> Any:
        raise TypeError(f"{self.text} can be read only by the code that made it")


kept: dict[int, Any] = {}
"""In the student's process, the latest values that could not be encoded, by number."""
_numbers = count(1)


def encode(value: Any, depth: int = 0) -> Any:
    """A value as the data that `wire.pack` takes."""
    kind = type(value)
    if value is None or kind in (bool, float, str, bytes) or (kind is int and value.bit_length() <= WIRE_INT_BITS):
        return value
    if depth < MAX_DEPTH:
        encoded = _encode_container(value, depth + 1)
        if encoded is None:
            encoded = _encode_number(value)
        if encoded is None and is_course_class(type(value)) and hasattr(value, "__dict__"):
            attributes = [[name, encode(item, depth + 1)] for name, item in vars(value).items()]
            encoded = {"object": [type(value).__name__, attributes]}
        if encoded is not None:
            return encoded
    number = next(_numbers)
    kept[number] = value
    if len(kept) > MAX_KEPT:
        del kept[next(iter(kept))]
    is_iterator = any("__next__" in vars(base) for base in kind.__mro__)
    return {"opaque": [str(kind.__name__), _short_repr(value), is_iterator, number]}


def _encode_container(value: Any, depth: int) -> Any:
    if isinstance(value, list):
        return _encode_all(list(value), depth)
    for name, kind in (("tuple", tuple), ("set", set), ("frozenset", frozenset)):
        if isinstance(value, kind):
            return {name: _encode_all(list(value), depth)}
    if isinstance(value, Mapping):
        name = "Counter" if isinstance(value, Counter) else "OrderedDict" if isinstance(value, OrderedDict) else "dict"
        items = list(value.items())
        return {name: [_encode_all([item[place] for item in items], depth) for place in (0, 1)]}
    if isinstance(value, bytearray):
        return {"bytearray": bytes(value)}
    return None


def _encode_all(values: list[Any], depth: int) -> list[Any]:
    """These values, as a list of what `encode` makes of each. Most lists hold numbers or text alone."""
    kinds = set(map(type, values))
    if kinds == {int} and -(2**WIRE_INT_BITS) < min(values) and max(values) < 2**WIRE_INT_BITS:
        return values
    return values if kinds <= PLAIN - {int} else [encode(value, depth) for value in values]


def _encode_number(value: Any) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.str in ARRAYS:
        return {"array": [value.dtype.str, list(value.shape), np.ascontiguousarray(value).tobytes()]}
    if isinstance(value, np.generic) and value.dtype.str in ARRAYS:
        return {"array": [value.dtype.str, None, value.tobytes()]}
    # A subclass may print or compare as it likes; the plain number or string is what arrives.
    if isinstance(value, int):
        plain = int.__index__(value)
        if plain.bit_length() <= WIRE_INT_BITS:
            return plain
        return {"int": hex(plain)} if plain.bit_length() <= MAX_INT_BITS else None
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, str):
        return str.__str__(value)
    return bytes.__getitem__(value, slice(None)) if isinstance(value, bytes) else None


def decode(data: Any, classes: Classes = MappingProxyType({})) -> Any:
    """The value that `encode` was given, made of builtin and numpy types and these classes.

    Args:
        data: what `wire.unpack` returned, so its size and depth are bounded.
        classes: an object of any other class arrives as an `OpaqueValue`.

    Raises:
        Exception: of any kind, when `data` does not come from `encode`.
    """
    if type(data) in PLAIN:
        return data
    if type(data) is list:
        return _decode_all(data, classes)
    ((tag, content),) = data.items()
    if tag in CONTAINERS:
        return CONTAINERS[tag](_decode_all(content, classes))
    if tag in MAPPINGS:
        keys, values = (_decode_all(half, classes) for half in content)
        return MAPPINGS[tag](dict(zip(keys, values, strict=True)))
    if tag == "bytearray":
        return bytearray(memoryview(content))
    if tag == "int":
        return int(content[: MAX_INT_BITS // 4 + 4], 16)
    if tag == "array":
        return _decode_array(*content)
    if tag == "object":
        name, attributes = content
        if name not in classes:
            return OpaqueValue(f"<{str(name)[:MAX_REPR]} object>")
        kind: Any = classes[name]
        made = kind.__new__(kind)
        vars(made).update({str(attribute): decode(item, classes) for attribute, item in attributes})
        return made
    if tag == "opaque":
        name, text, is_iterator, number = content
        base = OpaqueIterator if is_iterator else OpaqueValue
        # The class gets the name of the real one, because reports name it.
        return type(re.sub(r"\W", "_", str(name))[:50] or "object", (base,), {})(str(text)[: 2 * MAX_REPR], int(number))
    raise ValueError(f"unknown tag {tag!r}")


def _decode_all(data: list[Any], classes: Classes) -> list[Any]:
    """The values of a list. Most hold numbers or text alone."""
    return data if set(map(type, data)) <= PLAIN else [decode(item, classes) for item in data]


def _decode_array(dtype: str, shape: list[int] | None, content: bytes) -> Any:
    flat = np.frombuffer(content, dtype=ARRAYS[dtype])
    return flat[0] if shape is None else flat.reshape(shape).copy()


def is_course_class(kind: type) -> bool:
    """Whether a class was defined in the course's own package, of which both sides have a copy."""
    return str(kind.__module__).startswith(_COURSE)


def _short_repr(value: Any) -> str:
    try:
        return str(repr(value))[:MAX_REPR]
    except Exception as error:
        return f"<{type(value).__name__} object whose repr raises {type(error).__name__}>"
