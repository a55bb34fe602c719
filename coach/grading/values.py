"""Carries values out of a student's process as plain data, and reads nothing else from a message.

`pack` writes MessagePack: numbers, text, bytes, builtin containers, numpy arrays, and objects of the course's given
classes. `unpack` reads it, whoever wrote it. It runs no student's code, and imports no name in a message. A list
arrives as a plain list, whatever subclass it was, and a value that cannot travel as an `OpaqueValue`, which equals
nothing but itself.

>>> unpack(pack([(1, 2), {b"ab": 3.5}, {7}]))
[(1, 2), {b'ab': 3.5}, {7}]
>>> unpack(pack(iter("ab")))
<str_...iterator object at ...>
"""

import builtins
import pickle
import re
import sys
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from types import MappingProxyType
from typing import Any

import msgpack

from coach.common import errors
from coach.common.paths import REPOSITORY

MAX_BYTES = 16 * 2**20
"""Size of an answer. If it consists of empty lists, reading it takes about 1 GB of memory."""
MAX_LEVELS = 100
"""Extensions inside each other. MessagePack takes 40 kB of the stack for each, and a full stack ends the process."""
MAX_INT_BITS = 10_000
MAX_ITEMS = 1000
"""Items of an iterator that are read ahead, and travel in its place."""
MAX_REPR = 200

Known = Mapping[int, Collection[str]]
"""The `id` of an object that the examiner knows -> its attributes there."""
Classes = Mapping[str, type]
"""Name -> class of the course's given code that objects may have."""

PLAIN: list[tuple[type, Callable[[Any], Any]]] = [
    (tuple, lambda value: [*value]),
    (set, lambda value: [*value]),
    (frozenset, lambda value: [*value]),
    (Counter, lambda value: dict(value.items())),
    # MessagePack knows those that follow, but no subclass of them.
    (float, float.__float__),
    (str, str.__str__),
    (bytes, lambda value: bytes.__getitem__(value, slice(None))),
    (list, lambda value: [*value]),
    (Mapping, lambda value: dict(value.items())),
]
"""Type -> how its objects become content that MessagePack knows. An object of a subclass may print or compare as it
likes, so those methods are not used. The places of the first four are numbers of MessagePack's extension types."""
ARRAY, OBJECT, OPAQUE, INT = range(4, 8)
"""Further extension types: numpy's arrays and numbers, objects of given classes, the rest, and large integers."""
ARRAY_CODES = "?bBhHiIlLqQefd"

ERRORS: dict[str, type[Exception]] = {
    name: kind
    for module in (errors, builtins)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and issubclass(kind, Exception) and kind is not ExceptionGroup
}
"""The classes of errors that both processes have."""


def make_error(kind: str, base: str, text: str, classes: Classes = MappingProxyType({})) -> Exception:
    """Make an error like the other side's, of its own class if that is one of Python's or of `classes`, or else of a
    class of that name. One that would end a process becomes an Exception."""
    given = classes.get(kind, object)
    parent = given if issubclass(given, Exception) else ERRORS.get(base, Exception)
    with suppress(Exception):
        plain = parent(text)
        if kind == parent.__name__ and str(plain) == text:
            return plain
    own_name = kind if kind.isidentifier() else "Exception"
    # The class is new, because the constructors of some errors read memory at a place that their arguments name.
    members = {"__init__": lambda self, text: None, "__str__": lambda self: text}
    error: Exception = type(own_name, (parent,), members)(text)
    return error


def shared_base(error: BaseException) -> str:
    """Return the name of the first of an error's classes that both sides have; "" for none."""
    return next((kind.__name__ for kind in type(error).__mro__ if ERRORS.get(kind.__name__) is kind), "")


class OpaqueValue:
    """Stands for a value that cannot travel, and has its `repr`."""

    __slots__ = ("text",)  # Without a dictionary, it travels by its own `repr`.

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def __reduce__(self) -> Any:
        return OpaqueValue, (self.text,)


def is_course_class(kind: type) -> bool:
    """Say whether a class was defined in a package of the course, of which both sides have a copy."""
    return _is_of_course(str(kind.__module__).partition(".")[0])


@cache
def _is_of_course(package: str) -> bool:
    return (REPOSITORY / package / "__init__.py").is_file()


# --- writing ----------------------------------------------------------------------------------------------------------


def pack(value: Any, known: Known = MappingProxyType({})) -> bytes:
    """Write a value as a message."""

    def replaced(other: Any) -> Any:
        code, content = _content(known, other)
        return content if code is None else msgpack.ExtType(code, pack(content, known))

    message: bytes = msgpack.packb(
        value, default=replaced, use_bin_type=True, strict_types=True, unicode_errors="surrogatepass"
    )
    return message


def _content(known: Known, value: Any) -> tuple[int | None, Any]:
    """Return what travels in place of a value that MessagePack does not know: the extension type, or None for plain
    content, and the content."""
    numpy: Any = sys.modules.get("numpy")
    if numpy and isinstance(value, numpy.ndarray | numpy.generic) and value.dtype.char in ARRAY_CODES:
        return ARRAY, [value.dtype.str, list(value.shape), value.tobytes()]
    if isinstance(value, int):
        number = int.__index__(value)
        if number.bit_length() <= MAX_INT_BITS:
            return (None, number) if number.bit_length() < 64 else (INT, hex(number))
    for place, (kind, plain) in enumerate(PLAIN):
        if isinstance(value, kind):
            return place if place < ARRAY else None, plain(value)
    if is_course_class(type(value)) and hasattr(value, "__dict__"):
        names = known.get(id(value), vars(value))
        shown = {name: content for name, content in vars(value).items() if name in names}
        own = {name: content for name, content in vars(value).items() if name not in names}
        return OBJECT, [type(value).__name__, shown, _pickled(own)]
    try:
        text = str(repr(value))[:MAX_REPR]
    except Exception as error:
        text = f"<{type(value).__name__} object whose repr raises {type(error).__name__}>"
    is_iterator = any("__next__" in vars(base) for base in type(value).__mro__)
    return OPAQUE, [str(type(value).__name__), text, is_iterator]


def _pickled(own: dict[str, Any]) -> bytes:
    """Pickle the attributes that only the student's code knows, without those that cannot be pickled."""
    kept: dict[str, Any] = {}
    for name, value in own.items():
        with suppress(Exception):
            pickle.dumps(value)
            kept[name] = value
    return pickle.dumps(kept) if kept else b""


# --- reading ----------------------------------------------------------------------------------------------------------


def unpack(message: bytes, classes: Classes = MappingProxyType({}), level: int = 0) -> Any:
    """Read the value in a message, whoever wrote it. One that `pack` has not written raises an error of any kind.

    An object of a class that is not in `classes` becomes an `OpaqueValue`. `level`: how many extensions are around it.
    """
    if level > MAX_LEVELS:
        raise ValueError("nested too deeply")
    read = partial(_read, classes, level + 1)
    return msgpack.unpackb(message, ext_hook=read, strict_map_key=False, unicode_errors="surrogatepass")


def _read(classes: Classes, level: int, code: int, message: bytes) -> Any:
    """Read the value in an extension."""
    content = unpack(message, classes, level)
    if code < ARRAY:
        return PLAIN[code][0](content)
    if code == INT:
        return int(content[: MAX_INT_BITS // 4 + 4], 16)
    if code == ARRAY:
        return _array(*content)
    if code == OBJECT:
        name, attributes, own = content
        if name not in classes:
            return opaque(name, f"<{name} object>")
        given: Any = classes[name]
        made = given.__new__(given)
        vars(made).update({str(attribute): value for attribute, value in attributes.items()})
        if hasattr(given, "_place"):
            made._own = bytes(own)
        return made
    if code == OPAQUE:
        return opaque(*content)
    raise ValueError(f"unknown extension {code}")


def _array(kind: str, shape: list[int], data: bytes) -> Any:
    import numpy as np  # A student's process does without it, unless the code uses it.

    if kind not in {np.dtype(code).str for code in ARRAY_CODES}:
        raise ValueError(f"an array of {kind!r}")
    array = np.frombuffer(data, dtype=kind).reshape(shape)
    return array.copy() if shape else array[()]


def opaque(name: Any, text: Any, is_iterator: Any = False, *, items: list[Any] | None = None) -> OpaqueValue:
    """Make an opaque value of a class with the real one's name, because reports name it.

    items: the first ones of an iterator; None if they have not travelled.
    """

    def read() -> Iterator[Any]:
        yield from items or ()
        if items is None or len(items) == MAX_ITEMS:
            raise TypeError(f"{text} can be read only by the code that made it")

    left = read()
    members = {"__iter__": lambda self: self, "__next__": lambda self: next(left)} if is_iterator else {}
    kind: type[OpaqueValue] = type(re.sub(r"\W", "_", str(name))[:50] or "object", (OpaqueValue,), members)
    return kind(str(text))
