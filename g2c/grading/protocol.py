"""Defines the messages between the test runner and the student's process.

    request -> (call -> reply)* -> answer

No student's code can reach the test runner, so its requests are pickled: calls, in which proxies become objects of the
student's classes. Answers are plain data in MessagePack: what the call returned or raised. Before its answer, the
process may send calls of lent functions. The test runner makes each one in the answer key's process, and sends a reply,
pickled like a request. Each message also has what its sender has changed in objects that both sides have (`Shared`).

`unpack` returns builtin types, numpy arrays and objects of given classes. It runs no student's code, and imports no
name in a message. A list arrives as a plain list, whatever subclass it was, and a value that cannot travel as an
`OpaqueValue`, which equals nothing but itself.

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
from collections.abc import Callable, Iterable, Mapping
from functools import partial
from types import MappingProxyType, SimpleNamespace
from typing import Any, NamedTuple

import msgpack
import numpy as np

from g2c.common import errors

MAX_BYTES = 16 * 2**20
"""Size of an answer. If it consists of empty lists, reading it takes about 1 GB of memory."""
MAX_LEVELS = 100
"""Extensions inside each other. MessagePack takes 40 kB of the stack for each, and a full stack ends the process."""
MAX_INT_BITS = 10_000
MAX_REPR = 200
MAX_CLASS_NAME = 100

Classes = Mapping[str, type]
"""Name -> class of the course's given code that objects may have."""

KINDS: list[Any] = [tuple, set, frozenset, Counter]
"""Types that travel as a list of their parts. Their places here are numbers of MessagePack's extension types."""
ARRAY, OBJECT, OPAQUE, INT = range(len(KINDS), len(KINDS) + 4)
"""Further extension types: numpy's arrays and numbers, objects of given classes, the rest, and large integers."""
PLAIN: dict[type, Callable[[Any], Any]] = {
    float: float.__float__,
    str: str.__str__,
    bytes: lambda value: bytes.__getitem__(value, slice(None)),
    list: lambda value: [*value],
    Mapping: lambda value: dict(value.items()),
}
"""How an object of a subclass becomes its plain content. It may print or compare as it likes, so its methods are not
used."""

_COURSE = f"{__name__.split('.')[0]}."
_ARRAYS = {np.dtype(code).str for code in "?bBhHiIlLqQefd"}
_LOSSLESS = {"use_bin_type": True, "strict_types": True, "unicode_errors": "surrogatepass"}

ERRORS: dict[str, type[Exception]] = {
    name: kind
    for module in (errors, builtins)
    for name, kind in vars(module).items()
    if isinstance(kind, type) and issubclass(kind, Exception) and kind is not ExceptionGroup
}


class NotDefined(NotImplementedError):
    """Says that the student's code lacks a name that the exercise file defines as handed out."""


def of_student(*reference: Any) -> Any:
    """Return the student's class or object that a request names. The sandbox puts its own method here."""
    raise NotImplementedError


class Target(NamedTuple):
    """Names a method of an exercise class, or a function, that is called."""

    module: str
    class_name: str | None
    name: str
    """Empty where nothing is called and the module is only imported."""

    @property
    def file(self) -> str:
        """Return the exercise file's path, relative to the course's folder."""
        return f"{self.module.replace('.', '/')}.py"


class Origin(NamedTuple):
    """Names a place in the student's code. The file is relative to the course's folder."""

    function: str
    file: str
    line: int

    @classmethod
    def of(cls, target: Target) -> "Origin":
        """Return the place for a function whose line is not known."""
        return cls(target.name or "<module>", target.file, 1)


# --- what both sides have ---------------------------------------------------------------------------------------------


def make_error(kind: str, base: str, text: str) -> Exception:
    """Make an error like the other side's. One that would end a process becomes an Exception of the same name."""
    own_name = kind[:MAX_CLASS_NAME] if kind.isidentifier() else "Exception"
    # The class is new, because the constructors of some errors read memory at a place that their arguments name.
    members = {"__init__": lambda self, text: None, "__str__": lambda self: text}
    error: Exception = type(own_name, (ERRORS.get(base, Exception),), members)(text)
    return error


def shared_base(error: BaseException) -> str:
    """Return the name of the first of an error's classes that both sides have; "" for none."""
    return next((kind.__name__ for kind in type(error).__mro__ if ERRORS.get(kind.__name__) is kind), "")


class Shared:
    """Knows the objects that both sides have, by number, and their attributes as both had them last.

    The arguments of a call are the attributes "0", "1", … of another object, CALL or LENT_CALL.
    """

    def __init__(self) -> None:
        self.objects: dict[int, Any] = {}
        """Those in the latest request."""
        self._known: dict[int, dict[str, bytes | None]] = {}
        """Number -> the pickle of each attribute; None for what cannot be pickled and may have changed."""

    def add(self, number: int, owner: Any, names: Iterable[str]) -> None:
        """Share an object, with these attributes and those that it has shared before."""
        self.objects[number] = owner
        self._known[number] = {**dict.fromkeys(names, b""), **self._known.get(number, {})}

    def add_arguments(self, number: int, arguments: Iterable[Any]) -> None:
        """Share the arguments of a call, which both sides have now."""
        values = {str(place): value for place, value in enumerate(arguments)}
        self.objects[number] = SimpleNamespace(**values)
        self._known[number] = {name: _snapshot(value) for name, value in values.items()}

    def changes(self) -> dict[int, dict[str, Any]]:
        """Return, by object, the attributes that the other side does not have. It has them from then on."""
        return {number: changed for number in self.objects if (changed := self.changes_of(number))}

    def changes_of(self, number: int) -> dict[str, Any]:
        changed, known = {}, self._known[number]
        for name, before in known.items():
            value = getattr(self.objects[number], name, None)
            now = _snapshot(value)
            # The other side has the value that an OpaqueValue stands for.
            if (now is None or now != before) and not isinstance(value, OpaqueValue):
                changed[name], known[name] = value, now
        return changed

    def apply(self, changes: Mapping[int, Mapping[str, Any]]) -> None:
        """Repeat here what the other side has changed. It can add no object and no attribute."""
        for number in changes.keys() & self.objects.keys():
            owner, known = self.objects[number], self._known[number]
            values = {name: value for name, value in changes[number].items() if name in known}
            _update(owner, values)
            known |= {name: _snapshot(getattr(owner, name, None)) for name in values}


CALL, LENT_CALL = 0, -1
"""Numbers of the arguments of a request, and of a call of a lent function."""


def _snapshot(value: Any) -> bytes | None:
    try:
        return pickle.dumps(value)
    except Exception:
        return None


def _update(owner: Any, values: Mapping[str, Any]) -> None:
    """Give an object these attributes. Containers are changed in place, because other names may refer to them."""
    for name, value in values.items():
        live = getattr(owner, name, None)
        if _snapshot(live) == _snapshot(value):
            continue
        if isinstance(live, dict) and isinstance(value, dict) or isinstance(live, set) and isinstance(value, set):
            live.clear()
            live.update(value)
        elif isinstance(live, list) and isinstance(value, list):
            live[:] = value
        elif isinstance(live, np.ndarray) and isinstance(value, np.ndarray) and live.shape == value.shape:
            live[...] = value
        elif type(live) is type(value) and is_course_class(type(live)) and hasattr(live, "__dict__"):
            _update(live, vars(value))
        else:
            setattr(owner, name, value)


class OpaqueValue:
    """Stands for a value that cannot travel, and has its `repr`."""

    __slots__ = ("text",)  # Without a dictionary, it travels by its own `repr`.

    def __init__(self, text: str) -> None:
        self.text = text

    def __repr__(self) -> str:
        return self.text

    def __reduce__(self) -> Any:
        return OpaqueValue, (self.text,)

    def _next(self) -> Any:
        raise TypeError(f"{self.text} can be read only by the code that made it")


# --- requests ---------------------------------------------------------------------------------------------------------


def request(shared: Shared, content: Any) -> bytes:
    """Pickle a request or a reply, with each proxy as its number and whatever the process does not know of it."""
    stream = io.BytesIO()
    writer = _RequestWriter(stream)
    writer.shared = shared
    writer.dump(content)
    return stream.getvalue()


class _RequestWriter(pickle.Pickler):
    shared: Shared

    def reducer_override(self, value: Any) -> Any:
        kind = type(value)
        place = getattr(value if kind is type else kind, "_place", None)
        if place is None:
            return NotImplemented
        if kind is type:
            return of_student, place
        self.shared.add(value._shared_number, value, vars(value))
        return of_student, (
            *place,
            value._shared_number,
            value._made_with,
            self.shared.changes_of(value._shared_number),
        )


# --- answers ----------------------------------------------------------------------------------------------------------


def pack(value: Any) -> bytes:
    """Write a value as a message."""
    message: bytes = msgpack.packb(value, default=_replace, **_LOSSLESS)
    return message


def unpack(message: bytes, classes: Classes = MappingProxyType({}), level: int = 0) -> Any:
    """Read the value in a message, whoever wrote it. One that `pack` has not written raises an error of any kind.

    An object of a class that is not in `classes` becomes an `OpaqueValue`. `level`: how many extensions are around it.
    """
    if level > MAX_LEVELS:
        raise ValueError("nested too deeply")

    read = partial(_read, classes, level + 1)
    return msgpack.unpackb(message, ext_hook=read, strict_map_key=False, unicode_errors="surrogatepass")


def is_course_class(kind: type) -> bool:
    """Say whether a class was defined in the course's package, of which both sides have a copy."""
    return str(kind.__module__).startswith(_COURSE)


def _replace(value: Any) -> Any:
    """Return what travels in place of a value that MessagePack does not know."""
    if isinstance(value, np.ndarray | np.generic) and value.dtype.str in _ARRAYS:
        return _extension(ARRAY, [value.dtype.str, list(value.shape), value.tobytes()])
    if isinstance(value, int):
        number = int.__index__(value)
        if number.bit_length() < 64:
            return number
        if number.bit_length() <= MAX_INT_BITS:
            return _extension(INT, hex(number))
    for code, kind in enumerate(KINDS):
        if isinstance(value, kind):
            return _extension(code, dict(value.items()) if isinstance(value, Mapping) else [*value])
    for kind, plain in PLAIN.items():
        if isinstance(value, kind):
            return plain(value)
    if is_course_class(type(value)) and hasattr(value, "__dict__"):
        return _extension(OBJECT, [type(value).__name__, vars(value)])
    is_iterator = any("__next__" in vars(base) for base in type(value).__mro__)
    try:
        text = str(repr(value))[:MAX_REPR]
    except Exception as error:
        text = f"<{type(value).__name__} object whose repr raises {type(error).__name__}>"
    return _extension(OPAQUE, [str(type(value).__name__), text, is_iterator])


def _extension(code: int, content: Any) -> msgpack.ExtType:
    return msgpack.ExtType(code, pack(content))


def _read(classes: Classes, level: int, code: int, message: bytes) -> Any:
    """Read the value in an extension."""
    content = unpack(message, classes, level)
    if code < len(KINDS):
        return KINDS[code](content)
    if code == INT:
        return int(content[: MAX_INT_BITS // 4 + 4], 16)
    if code == ARRAY:
        kind, shape, data = content
        array = np.frombuffer(data, dtype=np.dtype(kind if kind in _ARRAYS else None)).reshape(shape)
        return array.copy() if shape else array[()]
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
    """Make an opaque value of a class with the real one's name, because reports name it."""
    members = {"__next__": OpaqueValue._next} if is_iterator else {}
    kind: type[OpaqueValue] = type(re.sub(r"\W", "_", str(name))[:50] or "object", (OpaqueValue,), members)
    return kind(str(text)[: 2 * MAX_REPR])
