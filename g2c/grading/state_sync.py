"""Objects that both sides have: a proxy in the test runner, and the student's object in the sandbox.

A request carries the attributes of a proxy that changed since both sides had the same; the answer carries those that
the call changed. Arguments that a call changes in place are brought back in the same way.
"""

import io
import pickle
from itertools import count
from typing import Any

import numpy as np

from g2c.grading.codec import OpaqueValue, is_course_class
from g2c.grading.notebook_calls import NotebookReference

MadeWith = tuple[tuple[Any, ...], dict[str, Any]]
"""The arguments and keyword arguments of a constructor."""


class Handle:
    """Joins a proxy to the student's object. Copies of a proxy share it."""

    _numbers = count(1)

    def __init__(self) -> None:
        self.number = next(self._numbers)
        self.made_with: MadeWith | None = None
        """None while the constructor has not finished: the student's object is then made without calling it."""
        self.generation = 0
        """The process that knows the object. A new one has to be sent everything again."""
        self.synced: dict[str, bytes | None] = {}
        """Attribute -> its pickle when both sides last had the same."""

    def __deepcopy__(self, memo: dict[int, Any]) -> "Handle":
        return self


def of_student(*reference: Any) -> Any:
    """In a request, the call that gives what is in the student's process alone. The sandbox answers it itself."""
    raise NotImplementedError


class RequestWriter(pickle.Pickler):
    """Pickles a request. A proxy becomes its handle and the attributes that the other side does not know yet.

    Args:
        stream: where to write.
        generation: the number of the process that will read the request.
    """

    def __init__(self, stream: io.BytesIO, generation: int) -> None:
        super().__init__(stream)
        self.generation = generation
        self.proxies: dict[int, Any] = {}
        """Handle number -> proxy, for every proxy in the request."""

    def reducer_override(self, value: Any) -> Any:
        kind = type(value)
        if kind is type:
            place = getattr(value, "_place", None)
            return (of_student, ("class", *place)) if place else NotImplemented
        if kind is NotebookReference:
            return of_student, ("notebook", value.module, "")
        if isinstance(value, OpaqueValue):
            return of_student, ("kept", "", "", value.number)
        place = getattr(kind, "_place", None)
        if place is None:
            return NotImplemented
        handle: Handle = value._remote
        if handle.generation != self.generation:
            handle.generation, handle.synced = self.generation, {}
        changes = {}
        for name, content in vars(value).items():
            current = snapshot(content)
            if name not in handle.synced or current is None or handle.synced[name] != current:
                changes[name] = content
                handle.synced[name] = current
        self.proxies[handle.number] = value
        return of_student, ("object", *place, handle.number, handle.made_with, changes)


def apply_changes(proxy: Any, changes: dict[str, Any]) -> None:
    """Set the attributes of a proxy that a call has changed. Those that the proxy never had are left out."""
    handle: Handle = proxy._remote
    for name, value in changes.items():
        if name in handle.synced:
            if not update_in_place(vars(proxy).get(name), value):
                setattr(proxy, name, value)
            handle.synced[name] = snapshot(vars(proxy).get(name))


def update_in_place(live: Any, value: Any) -> bool:
    """Make a live value equal to a new one, in place. False when it has to be replaced instead."""
    if isinstance(live, dict) and isinstance(value, dict) or isinstance(live, set) and isinstance(value, set):
        live.clear()
        live.update(value)
    elif isinstance(live, (list, bytearray)) and isinstance(value, type(live)):
        live[:] = value
    elif isinstance(live, np.ndarray) and isinstance(value, np.ndarray) and live.shape == value.shape:
        live[...] = value
    elif type(live) is type(value) and is_course_class(type(live)) and hasattr(live, "__dict__"):
        vars(live).update(vars(value))
    else:
        return False
    return True


def snapshot(value: Any) -> bytes | None:
    """A value's pickle, to see later whether it has changed; None for what cannot be pickled."""
    try:
        return pickle.dumps(value)
    except Exception:
        return None
