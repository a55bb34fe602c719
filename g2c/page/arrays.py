"""Stands in for numpy in tests that pass token IDs in an array; session.py makes it importable there, and only there.

It treats IDs as numpy does: an array is neither true nor false, and the integers in it are not of class int.
"""

from collections.abc import Callable, Iterator
from numbers import Integral
from typing import Any


class generic:
    """A number, with the operators of Python's integers."""

    def __init__(self, value: int) -> None:
        self._value = value

    def item(self) -> int:
        return self._value

    def __hash__(self) -> int:
        return hash(self._value)

    def __repr__(self) -> str:
        return f"np.{type(self).__qualname__}({self._value})"

    def __str__(self) -> str:
        return str(self._value)

    def __format__(self, how: str) -> str:
        return format(self._value, how)

    __int__ = __index__ = item


def _operator(name: str) -> Callable[..., Any]:
    compute = getattr(int, name)

    def method(number: generic, *others: Any) -> Any:
        result = compute(number.item(), *(one.item() if isinstance(one, generic) else one for one in others))
        return type(number)(result) if type(result) is int else result

    return method


_COMPARING, _ALONE = "eq ne lt le gt ge", "neg pos abs invert"
_COMPUTING = "add sub mul mod floordiv truediv pow and or xor lshift rshift"
for _name in f"{_COMPARING} {_ALONE} {_COMPUTING} r{_COMPUTING.replace(' ', ' r')}".split():
    setattr(generic, f"__{_name}__", _operator(f"__{_name}__"))


class int64(generic): ...


class uint32(generic): ...


class floating(generic): ...


class bool_(generic): ...


class Kind:
    """The dtype of an array."""

    def __init__(self, number: type[generic]) -> None:
        self.type = number
        self.kind = number.__qualname__[0]

    def __str__(self) -> str:
        return self.type.__qualname__


class ndarray:
    """A row of numbers."""

    def __init__(self, values: list[int], number: type[generic]) -> None:
        self._values, self.dtype, self.shape, self.size = values, Kind(number), (len(values),), len(values)

    def tolist(self) -> list[int]:
        return list(self._values)

    def copy(self) -> "ndarray":
        return ndarray(list(self._values), self.dtype.type)

    def __len__(self) -> int:
        return self.size

    def __iter__(self) -> Iterator[generic]:
        return map(self.dtype.type, self._values)

    def __getitem__(self, place: Any) -> Any:
        found = self._values[place]
        return ndarray(found, self.dtype.type) if isinstance(found, list) else self.dtype.type(found)

    def __bool__(self) -> bool:
        if self.size == 1:
            return bool(self._values[0])
        raise ValueError("The truth value of an array with more than one element is ambiguous. Use a.any() or a.all()")

    def _beside(self, other: Any) -> Iterator[tuple[int, Any]]:
        """Pair each number with one of the others, or with a single one."""
        others = list(other) if isinstance(other, (list, tuple, ndarray)) else [other] * self.size
        if len(others) != self.size:
            raise ValueError(f"operands could not be broadcast together with shapes {self.shape} ({len(others)},) ")
        return zip(self._values, others)

    def __eq__(self, other: object) -> Any:
        return ndarray([one == each for one, each in self._beside(other)], bool_)

    def __add__(self, other: Any) -> "ndarray":
        return ndarray([one + int(each) for one, each in self._beside(other)], self.dtype.type)

    __radd__ = __add__

    def __bytes__(self) -> bytes:
        return b"".join(value.to_bytes(4 if self.dtype.type is uint32 else 8, "little") for value in self._values)

    def __str__(self) -> str:
        return f"[{' '.join(self._aligned())}]"

    def __repr__(self) -> str:
        kind = "" if self.dtype.type is int64 else f", dtype={self.dtype}"
        return f"array([{', '.join(self._aligned())}]{kind})"

    def _aligned(self) -> list[str]:
        width = max((len(str(value)) for value in self._values), default=0)
        return [f"{value:{width}}" for value in self._values]


Integral.register(int64)
Integral.register(uint32)

for _class in (generic, int64, uint32, floating, bool_, ndarray):
    # Python's messages of errors give this name.
    _class.__name__ = f"numpy.{_class.__name__}"


def array(values: list[int], dtype: type[generic] = int64) -> ndarray:
    return ndarray(list(values), dtype)
