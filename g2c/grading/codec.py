"""Values as JSON: how answers travel from the student's process to the test runner.

`decode` returns only builtin types, numpy arrays and classes of the course, so nothing that comes out of it runs a
student's code. A list is a plain list, whatever subclass it was; a value that cannot be encoded arrives as an
`OpaqueValue`, which equals nothing but itself.

>>> decode(encode([(1, 2), {b"ab": 3.5}, {7}]))
[(1, 2), {b'ab': 3.5}, {7}]
>>> decode(encode(iter("ab")))
<str_...iterator object at ...>
"""

import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

MAX_DEPTH = 40
MAX_INT_BITS = 10_000
MAX_REPR = 200
PLAIN = (bool, int, float, str)
CONTAINERS: dict[str, Callable[[Any], Any]] = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
MAPPINGS: dict[str, Callable[[Any], Any]] = {"dict": dict, "Counter": Counter, "OrderedDict": OrderedDict}
_COURSE = f"{__name__.split('.')[0]}."

FindClass = Callable[[str, str], type | None]
"""(module, qualified name) -> the class, or None for one that is not known."""


class OpaqueValue:
    """Stands for a value that cannot be encoded. Its `repr` is the value's."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def encode(value: Any, depth: int = 0) -> Any:
    """A value as the numbers, strings, lists and dictionaries that JSON can hold."""
    kind = type(value)
    if value is None or kind is bool or kind is float or kind is str:
        return value
    if kind is int and value.bit_length() <= MAX_INT_BITS:
        return value
    if depth < MAX_DEPTH:
        for encoder in (_encode_container, _encode_number, _encode_object):
            encoded = encoder(value, depth + 1)
            if encoded is not None:
                return encoded
    return {"opaque": [kind.__name__, _short_repr(value)]}


def _encode_container(value: Any, depth: int) -> dict[str, Any] | None:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {"fields": [*_name_of(type(value)), [encode(item, depth) for item in value]]}
    for name, kind in (("list", list), ("tuple", tuple), ("set", set), ("frozenset", frozenset)):
        if isinstance(value, kind):
            return {name: [encode(item, depth) for item in value]}
    if isinstance(value, Mapping):
        name = "Counter" if isinstance(value, Counter) else "OrderedDict" if isinstance(value, OrderedDict) else "dict"
        return {name: [[encode(key, depth), encode(item, depth)] for key, item in value.items()]}
    if isinstance(value, (bytes, bytearray)):
        return {"bytearray" if isinstance(value, bytearray) else "bytes": bytes(value).decode("latin-1")}
    return None


def _encode_number(value: Any, depth: int) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return {"array": [value.dtype.str, list(value.shape), np.ascontiguousarray(value).tobytes().decode("latin-1")]}
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return {"array": [value.dtype.str, None, value.tobytes().decode("latin-1")]}
    # A subclass may print or compare as it likes; the plain number or string is what arrives.
    return next((kind(value) for kind in (int, float, str) if isinstance(value, kind)), None)


def _encode_object(value: Any, depth: int) -> dict[str, Any] | None:
    module, name = _name_of(type(value))
    if not is_course_class(type(value)) or not hasattr(value, "__dict__"):
        return None
    return {"object": [module, name, {attribute: encode(item, depth) for attribute, item in vars(value).items()}]}


def decode(data: Any, find_class: FindClass = lambda module, name: None) -> Any:
    """The value that `encode` was given, made of builtin and numpy types and the classes that `find_class` knows.

    Raises:
        Exception: of any kind, when `data` does not come from `encode`.
    """
    if data is None or type(data) in PLAIN:
        return data
    ((tag, content),) = data.items()
    if tag in CONTAINERS:
        return CONTAINERS[tag](decode(item, find_class) for item in content)
    if tag in MAPPINGS:
        return MAPPINGS[tag]({decode(key, find_class): decode(item, find_class) for key, item in content})
    if tag in ("bytes", "bytearray"):
        encoded = content.encode("latin-1")
        return encoded if tag == "bytes" else bytearray(encoded)
    if tag == "array":
        return _decode_array(*content)
    if tag == "object":
        module, name, attributes = content
        return _decode_object(name, find_class(module, name), attributes, find_class)
    if tag == "fields":
        module, name, items = content
        named_tuple = find_class(module, name)
        values = [decode(item, find_class) for item in items]
        return tuple(values) if named_tuple is None else named_tuple(*values)
    if tag == "opaque":
        name, text = map(str, content)
        # The class gets the name of the real one, because reports name it.
        return type(re.sub(r"\W", "_", name)[:50] or "object", (OpaqueValue,), {})(text[: 2 * MAX_REPR])
    raise ValueError(f"unknown tag {tag!r}")


def _decode_array(dtype: str, shape: list[int] | None, content: str) -> Any:
    kind = np.dtype(dtype)
    if kind.kind not in "biuf":
        raise ValueError(f"arrays of dtype {dtype} are not encoded")
    flat = np.frombuffer(content.encode("latin-1"), dtype=kind)
    return flat[0] if shape is None else flat.reshape(shape).copy()


def _decode_object(name: str, kind: Any, attributes: dict[str, Any], find_class: FindClass) -> Any:
    if kind is None:
        return OpaqueValue(f"<{name} object>")
    made = kind.__new__(kind)
    vars(made).update({str(attribute): decode(item, find_class) for attribute, item in attributes.items()})
    return made


def is_course_class(kind: type) -> bool:
    """Whether a class was defined in the course's own package, of which both sides have a copy."""
    return str(kind.__module__).startswith(_COURSE)


def _name_of(kind: type) -> tuple[str, str]:
    return str(kind.__module__), str(kind.__qualname__)


def _short_repr(value: Any) -> str:
    try:
        return str(repr(value))[:MAX_REPR]
    except Exception as error:
        return f"<{type(value).__name__} object whose repr raises {type(error).__name__}>"
