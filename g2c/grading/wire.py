"""Values as JSON text: how answers travel from the student's process to the judge.

Nothing that comes out of `unpack` carries code of the student's. A list is a list, whatever class of list it was; what
cannot be told in this way arrives as a `Foreign` object that equals nothing but itself.

>>> unpack(pack([(1, 2), {b"ab": 3.5}, {7}]))
[(1, 2), {b'ab': 3.5}, {7}]
>>> unpack(pack(iter("ab")))
<str_...iterator object at ...>
"""

import re
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

DEEPEST = 40
LARGEST_INT_BITS = 10_000
LONGEST_REPR = 200
PLAIN = (bool, int, float, str)
CONTAINERS = {"list": list, "tuple": tuple, "set": set, "frozenset": frozenset}
DICTIONARIES = {"dict": dict, "Counter": Counter, "OrderedDict": OrderedDict}

FindClass = Callable[[str, str], type | None]


class Foreign:
    """Stands for a value that cannot travel. `repr` shows what it was."""

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text


def pack(value: Any, depth: int = 0) -> Any:
    """A value as numbers, texts, lists and dictionaries that JSON can write."""
    kind = type(value)
    if value is None or kind is bool or kind is float or kind is str:
        return value
    if kind is int and value.bit_length() <= LARGEST_INT_BITS:
        return value
    if depth < DEEPEST:
        for packer in (_pack_container, _pack_number, _pack_object):
            packed = packer(value, depth + 1)
            if packed is not None:
                return packed
    return {"foreign": [kind.__name__, _short_repr(value)]}


def _pack_container(value: Any, depth: int) -> dict | None:
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {"fields": [*_name_of(type(value)), [pack(item, depth) for item in value]]}
    for name, kind in CONTAINERS.items():
        if isinstance(value, kind):
            return {name: [pack(item, depth) for item in value]}
    if isinstance(value, Mapping):
        name = next((name for name in ("Counter", "OrderedDict") if isinstance(value, DICTIONARIES[name])), "dict")
        return {name: [[pack(key, depth), pack(item, depth)] for key, item in value.items()]}
    if isinstance(value, (bytes, bytearray)):
        return {"bytearray" if isinstance(value, bytearray) else "bytes": bytes(value).decode("latin-1")}
    return None


def _pack_number(value: Any, depth: int) -> Any:
    if isinstance(value, np.ndarray) and value.dtype.kind in "biuf":
        return {"array": [value.dtype.str, list(value.shape), np.ascontiguousarray(value).tobytes().decode("latin-1")]}
    if isinstance(value, np.generic) and value.dtype.kind in "biuf":
        return {"array": [value.dtype.str, None, value.tobytes().decode("latin-1")]}
    # A subclass may print or compare as it likes; what travels is the plain number or text.
    return next((kind(value) for kind in (int, float, str) if isinstance(value, kind)), None)


def _pack_object(value: Any, depth: int) -> dict | None:
    module, name = _name_of(type(value))
    if not is_of_the_course(type(value)) or not hasattr(value, "__dict__"):
        return None
    return {"object": [module, name, {attribute: pack(item, depth) for attribute, item in vars(value).items()}]}


def unpack(data: Any, find_class: FindClass = lambda module, name: None) -> Any:
    """The value that `pack` was given, made of builtin and numpy types and the classes that `find_class` knows.

    Raises:
        Exception: of any kind, when `data` does not come from `pack`.
    """
    if data is None or type(data) in PLAIN:
        return data
    ((tag, content),) = data.items()
    if tag in CONTAINERS:
        return CONTAINERS[tag](unpack(item, find_class) for item in content)
    if tag in DICTIONARIES:
        return DICTIONARIES[tag]({unpack(key, find_class): unpack(item, find_class) for key, item in content})
    if tag in ("bytes", "bytearray"):
        encoded = content.encode("latin-1")
        return encoded if tag == "bytes" else bytearray(encoded)
    if tag == "array":
        return _unpack_array(*content)
    if tag in ("object", "fields"):
        return _unpack_object(tag, *content, find_class)
    if tag == "foreign":
        name, text = map(str, content)
        # The class has the name of the real one, because reports speak of it.
        return type(re.sub(r"\W", "_", name)[:50] or "object", (Foreign,), {})(text[: 2 * LONGEST_REPR])
    raise ValueError(f"unknown tag {tag!r}")


def _unpack_array(dtype: str, shape: list[int] | None, content: str) -> Any:
    kind = np.dtype(dtype)
    if kind.kind not in "biuf":
        raise ValueError(f"arrays of {dtype} do not travel")
    flat = np.frombuffer(content.encode("latin-1"), dtype=kind)
    return flat[0] if shape is None else flat.reshape(shape).copy()


def _unpack_object(tag: str, module: str, name: str, content: Any, find_class: FindClass) -> Any:
    found = find_class(module, name)
    if tag == "fields":
        items = [unpack(item, find_class) for item in content]
        return tuple(items) if found is None else found(*items)
    if found is None:
        return Foreign(f"<{name} object>")
    made = found.__new__(found)
    vars(made).update({str(attribute): unpack(item, find_class) for attribute, item in content.items()})
    return made


def is_of_the_course(kind: type) -> bool:
    """Whether a class was defined in the course's own package, of which both sides have a copy."""
    return str(kind.__module__).startswith("g2c.")


def _name_of(kind: type) -> tuple[str, str]:
    return str(kind.__module__), str(kind.__qualname__)


def _short_repr(value: Any) -> str:
    try:
        return str(repr(value))[:LONGEST_REPR]
    except Exception as error:
        return f"<{type(value).__name__} object whose repr raises {type(error).__name__}>"
