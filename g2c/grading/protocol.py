"""The protocol between the test runner and the student's process: one request, one answer, over a connection.

Requests come from the test runner, which no student's code can reach, so they are pickled: first the settings of the
process, then calls with their limits. In a call, proxies become objects of the student's classes. Where it refers to
something that only the student's process has, it contains a call of `of_student`.

Answers are plain data, as MessagePack: dictionaries with what the call returned or raised, and what it did to its
arguments and to the objects.

Before the answer, the process may send calls of functions that are lent to it, in a dictionary with "call". The test
runner makes each one in the answer key's process, and sends a reply, pickled like a request:

    request -> (call -> reply)* -> answer

`unpack` returns builtin types, numpy arrays and objects of the classes that it is given: what comes out of it runs no
student's code, and no name in a message is imported or looked up anywhere else. A list is a plain list, whatever
subclass it was; a value that cannot travel arrives as an `OpaqueValue`, which equals nothing but itself.

>>> unpack(pack([(1, 2), {b"ab": 3.5}, {7}]))
[(1, 2), {b'ab': 3.5}, {7}]
>>> unpack(pack(iter("ab")))
<str_...iterator object at ...>
"""

import builtins
import io
import pickle
import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Any, NamedTuple

import msgpack
import numpy as np

from g2c.common import errors

MAX_BYTES = 16 * 2**20
"""Size of an answer. One that consists of empty lists takes about 1 GB of memory when it is read."""
MAX_LEVELS = 100
"""Of extensions inside each other. MessagePack takes 40 kB of the stack for each, and where it is full, the process
ends."""
MAX_INT_BITS = 10_000
MAX_REPR = 200
MAX_CLASS_NAME = 100
"""Characters in the name of an error's class."""

Classes = Mapping[str, type]
"""The classes of the course's given code that objects may have, by name."""

KINDS: list[type] = [tuple, set, frozenset, Counter]
"""What travels as a list of its parts. A place in this list is the number of an extension type of MessagePack."""
ARRAY, NUMBER, OBJECT, OPAQUE, INT = range(len(KINDS), len(KINDS) + 5)
"""Further extension types: arrays and numbers of numpy, objects of given classes, the rest, and large integers."""

_COURSE = f"{__name__.split('.')[0]}."
_CODES = {kind: code for code, kind in enumerate(KINDS)}
_ARRAYS = {np.dtype(code).str for code in "?bBhHiIlLqQefd"}
"""The types of arrays that travel."""
_LOSSLESS = {"use_bin_type": True, "strict_types": True, "unicode_errors": "surrogatepass"}


ERRORS: dict[str, type[Exception]] = {
    name: kind
    for module in (errors, builtins)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and issubclass(kind, Exception) and kind is not ExceptionGroup
}
"""The errors that both sides have: the course's and Python's own."""


class NotDefined(NotImplementedError):
    """The student's code does not define a name that the exercise file gives."""

    def __init__(self, name: str) -> None:
        super().__init__(f"{name} is not defined")
        self.name = name


def of_student(*reference: Any) -> Any:
    """In a request, the call that gives what only the student's process has. The sandbox answers it itself."""
    raise NotImplementedError


class Target(NamedTuple):
    """What is called: a method of an exercise class, or a function."""

    module: str
    """The exercise file as Python imports it."""
    class_name: str | None
    name: str
    """Empty: nothing is called, the file is only imported."""

    @property
    def file(self) -> str:
        """Return the path of the exercise file, relative to the course's folder."""
        return f"{self.module.replace('.', '/')}.py"


class Origin(NamedTuple):
    """Where in the student's code something happened."""

    function: str
    file: str
    """Relative to the course's folder."""
    line: int

    @classmethod
    def of(cls, target: Target) -> "Origin":
        """Return the place for a function whose line is not known."""
        return cls(target.name or "<module>", target.file, 1)


# --- what both sides have ---------------------------------------------------------------------------------------------


def make_error(kind: str, base: str, text: str) -> Exception:
    """Make an error like one of the other side's; for one that would end a process, an Exception of its name."""
    own_name = kind[:MAX_CLASS_NAME] if kind.isidentifier() else "Exception"
    # A new class: the constructors of some errors read memory at the place that their arguments give.
    members = {"__init__": lambda self, text: None, "__str__": lambda self: text}
    error: Exception = type(own_name, (ERRORS.get(base, Exception),), members)(text)
    return error


def shared_base(error: BaseException) -> str:
    """Return the name of the first class that an error inherits from and both sides have; "" for none."""
    return next((kind.__name__ for kind in type(error).__mro__ if ERRORS.get(kind.__name__) is kind), "")


def snapshot(value: Any) -> bytes | None:
    """Pickle a value, to see later whether it has changed; None for what cannot be pickled."""
    try:
        return pickle.dumps(value)
    except Exception:
        return None


class Arguments:
    """The arguments of a call, which it may change in place."""

    def __init__(self, *values: Any) -> None:
        self.values = values
        self._before = [*map(snapshot, values)]

    def changed(self) -> list[list[Any]]:
        """Return the (place, value) of each argument that is no longer what it was, as far as can be seen."""
        pairs = enumerate(zip(self.values, self._before))
        return [[place, value] for place, (value, was) in pairs if was is None or snapshot(value) != was]


class SharedAttributes:
    """The attributes of an object that both sides have. Each sends the other what has changed since they agreed."""

    def __init__(self) -> None:
        self.known: dict[str, bytes | None] = {}
        """Attribute -> its pickle when both sides last had the same."""

    def changes(self, attributes: Mapping[str, Any]) -> dict[str, Any]:
        """Return the attributes that differ from what the other side has, which then counts as having them."""
        changed = {}
        for name, value in attributes.items():
            if isinstance(value, OpaqueValue):
                continue  # The student's process has the value itself.
            current = snapshot(value)
            if name not in self.known or current is None or self.known[name] != current:
                changed[name] = value
                self.known[name] = current
        return changed

    def apply(self, owner: Any, changes: Mapping[str, Any]) -> None:
        """Give an object the attributes that the other side has sent."""
        for name, value in changes.items():
            current = getattr(owner, name, None)
            # In place: other names may refer to the same container.
            if snapshot(current) != snapshot(value) and not update_in_place(current, value):
                setattr(owner, name, value)
            self.known[name] = snapshot(getattr(owner, name, None))


def update_in_place(live: Any, value: Any) -> bool:
    """Make a live value equal to a new one, in place. False when it has to be replaced instead."""
    if isinstance(live, dict) and isinstance(value, dict) or isinstance(live, set) and isinstance(value, set):
        live.clear()
        live.update(value)
    elif isinstance(live, list) and isinstance(value, list):
        live[:] = value
    elif isinstance(live, np.ndarray) and isinstance(value, np.ndarray) and live.shape == value.shape:
        live[...] = value
    elif type(live) is type(value) and is_course_class(type(live)) and hasattr(live, "__dict__"):
        for name, attribute in vars(value).items():
            if not update_in_place(vars(live).get(name), attribute):
                vars(live)[name] = attribute
    else:
        return False
    return True


class OpaqueValue:
    """Stands for a value that cannot travel. Its `repr` is the value's."""

    __slots__ = ("text",)  # Without a dictionary, it travels by its `repr` itself.

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def __reduce__(self) -> Any:
        return OpaqueValue, (self.text,)


class OpaqueIterator(OpaqueValue):
    """Stands for an iterator, which only the student's process can read."""

    def __next__(self) -> Any:
        raise TypeError(f"{self.text} can be read only by the code that made it")


# --- requests ---------------------------------------------------------------------------------------------------------


def request(content: Any, known: dict[int, SharedAttributes], proxies: dict[int, Any]) -> bytes:
    """Pickle a request or a reply.

    Args:
        content: a proxy in it becomes its handle and the attributes that the process does not know yet.
        known: what the process knows of the proxies, by the number of their handle; brought up to date.
        proxies: gets every proxy in `content`, by the number of its handle.
    """
    stream = io.BytesIO()
    _RequestWriter(stream, known, proxies).dump(content)
    return stream.getvalue()


class _RequestWriter(pickle.Pickler):
    def __init__(self, stream: io.BytesIO, known: dict[int, SharedAttributes], proxies: dict[int, Any]) -> None:
        super().__init__(stream)
        self.known, self.proxies = known, proxies

    def reducer_override(self, value: Any) -> Any:
        kind = type(value)
        place = getattr(value if kind is type else kind, "_place", None)
        if place is None:
            return NotImplemented
        if kind is type:
            return of_student, ("class", *place)
        handle = value._remote
        self.proxies[handle.number] = value
        changes = self.known.setdefault(handle.number, SharedAttributes()).changes(vars(value))
        return of_student, ("object", *place, handle.number, handle.made_with, changes)


# --- answers ----------------------------------------------------------------------------------------------------------


def pack(value: Any) -> bytes:
    """Write a value as a message."""
    message: bytes = msgpack.packb(value, default=_replace, **_LOSSLESS)
    return message


def unpack(message: bytes, classes: Classes = MappingProxyType({}), level: int = 0) -> Any:
    """Read the value in a message, whoever wrote it.

    Args:
        message: what `pack` returned, or anything else.
        classes: an object of any other class arrives as an `OpaqueValue`.
        level: in how many extensions the message is.

    Raises:
        Exception: of any kind, when `message` does not come from `pack`, or there is not enough memory.
    """

    if level > MAX_LEVELS:
        raise ValueError("nested too deeply")

    def read(code: int, content: bytes) -> Any:
        return _read(code, unpack(content, classes, level + 1), classes)

    return msgpack.unpackb(message, ext_hook=read, strict_map_key=False, unicode_errors="surrogatepass")


def is_course_class(kind: type) -> bool:
    """Say whether a class was defined in the course's own package, of which both sides have a copy."""
    return str(kind.__module__).startswith(_COURSE)


def _replace(value: Any) -> Any:
    """Return what travels in place of a value that MessagePack does not know: of a subclass, its plain content."""
    code = _CODES.get(type(value))
    if code is not None:
        return _extension(code, dict(value) if isinstance(value, Mapping) else list(value))
    if isinstance(value, np.ndarray | np.generic) and value.dtype.str in _ARRAYS:
        is_array = isinstance(value, np.ndarray)
        return _extension(ARRAY if is_array else NUMBER, [value.dtype.str, list(value.shape), value.tobytes()])
    # A subclass may print or compare as it likes; what is sent is made without its methods.
    if isinstance(value, int):
        plain = int.__index__(value)
        if plain.bit_length() < 64:
            return plain
        if plain.bit_length() <= MAX_INT_BITS:
            return _extension(INT, hex(plain))
    if isinstance(value, float):
        return float.__float__(value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bytes):
        return bytes.__getitem__(value, slice(None))
    if isinstance(value, list):
        return list(value)
    if isinstance(value, Mapping):
        return dict(value.items())
    for kind in (tuple, set, frozenset):
        if isinstance(value, kind):
            return _extension(_CODES[kind], list(value))
    if is_course_class(type(value)) and hasattr(value, "__dict__"):
        return _extension(OBJECT, [type(value).__name__, vars(value)])
    is_iterator = any("__next__" in vars(base) for base in type(value).__mro__)
    return _extension(OPAQUE, [str(type(value).__name__), _short_repr(value), is_iterator])


def _extension(code: int, content: Any) -> msgpack.ExtType:
    return msgpack.ExtType(code, pack(content))


def _read(code: int, content: Any, classes: Classes) -> Any:
    """Read the value in an extension. An error of any kind says that `pack` has not written it."""
    if code < len(KINDS):
        return KINDS[code](content)
    if code == INT:
        return int(content[: MAX_INT_BITS // 4 + 4], 16)
    if code in (ARRAY, NUMBER):
        kind, shape, data = content
        flat = np.frombuffer(data, dtype=np.dtype(kind if kind in _ARRAYS else None))
        return flat.reshape(shape).copy() if code == ARRAY else flat[0]
    if code == OBJECT:
        name, attributes = content
        if name not in classes:
            return _opaque(name, f"<{name} object>")
        given: Any = classes[name]
        made = given.__new__(given)
        vars(made).update({str(attribute): value for attribute, value in attributes.items()})
        return made
    if code == OPAQUE:
        return _opaque(*content)
    raise ValueError(f"unknown extension {code}")


def _opaque(name: Any, text: Any, is_iterator: Any = False) -> OpaqueValue:
    kind = _opaque_class(re.sub(r"\W", "_", str(name))[:50] or "object", bool(is_iterator))
    return kind(str(text)[: 2 * MAX_REPR])


@lru_cache(1000)
def _opaque_class(name: str, is_iterator: bool) -> type[OpaqueValue]:
    """Make a class with the name of the real one, because reports name it."""
    return type(name, (OpaqueIterator if is_iterator else OpaqueValue,), {})


def _short_repr(value: Any) -> str:
    try:
        return str(repr(value))[:MAX_REPR]
    except Exception as error:
        return f"<{type(value).__name__} object whose repr raises {type(error).__name__}>"
