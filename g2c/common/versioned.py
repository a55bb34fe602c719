"""A dictionary that tells whether it has changed, however large it is."""

from collections.abc import Callable
from typing import Any, TypeVar

_Key = TypeVar("_Key")
_Value = TypeVar("_Value")


class VersionedDict(dict[_Key, _Value]):
    """A dictionary with a version: an object that every change replaces with another one.

    Values computed from the dictionary are valid as long as the version is the same object.

    >>> merges = VersionedDict({(116, 104): 256})
    >>> before = merges.version
    >>> merges[256, 101] = 257
    >>> merges.version is before, merges == {(116, 104): 256, (256, 101): 257}
    (False, True)
    """

    def __init__(self, *entries: Any, **named: _Value) -> None:
        super().__init__(*entries, **named)
        self.version = object()

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (dict(self),)


def _changing(change: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of dict that also replaces the version."""

    def method(self: VersionedDict[Any, Any], *args: Any, **kwargs: Any) -> Any:
        try:
            return change(self, *args, **kwargs)
        finally:
            self.version = object()

    return method


for _change in (
    dict.__setitem__, dict.__delitem__, dict.__ior__, dict.clear, dict.pop, dict.popitem, dict.setdefault, dict.update
):  # fmt: skip
    setattr(VersionedDict, _change.__name__, _changing(_change))
