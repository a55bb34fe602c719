"""Proxies for the student's classes and functions: what the tests get from its package in the test runner.

A proxy class has the given code of the exercise file, as the course hands it out; the methods that the student writes
are calls of the student's code. A request carries the attributes of a proxy that changed since both sides had the same;
the answer carries those that the call changed. Arguments that a call changes in place are brought back in the same way.
"""

from collections.abc import Callable
from importlib import import_module
from itertools import count
from typing import Any

from g2c.course.exercises import Module
from g2c.grading.protocol import Target, is_course_class
from g2c.grading.remote import Student


class Handle:
    """Joins a proxy to the student's object. Copies of a proxy share it."""

    _numbers = count(1)

    def __init__(self) -> None:
        self.number = next(self._numbers)
        self.made_with: tuple[tuple[Any, ...], dict[str, Any]] | None = None
        """The constructor's arguments; None while it has not finished: the object is then made without calling it."""

    def __deepcopy__(self, memo: dict[int, Any]) -> "Handle":
        return self


def make_proxies(module: Module, student: Student) -> dict[str, Any]:
    """Public name of a module -> the class or function that calls the student's."""
    given = import_module(module.import_name)
    proxies: dict[str, Any] = {}
    classes = (each for each in vars(given).values() if isinstance(each, type) and is_course_class(each))
    student.classes.update({each.__name__: each for each in classes})
    for name in module.public_names:
        original = getattr(given, name)
        if isinstance(original, type):
            proxies[name] = student.classes[name] = _make_class(module, original, proxies, student)
        else:
            proxies[name] = _make_function(Target(module.import_name, None, name), student)
    return proxies


def _make_class(module: Module, original: type[Any], proxies: dict[str, Any], student: Student) -> type:
    name = original.__name__
    bases = (original, *(proxies[base.__name__] for base in original.__mro__[1:] if base.__name__ in proxies))
    initialize: Callable[..., None] = original.__init__

    def __new__(cls: type, *args: Any, **kwargs: Any) -> Any:
        proxy: Any = object.__new__(cls)
        proxy._remote = Handle()
        return proxy

    def __init__(self: Any, *args: Any, **kwargs: Any) -> None:
        initialize(self, *args, **kwargs)
        self._remote.made_with = (args, kwargs)

    members: dict[str, Any] = {"__new__": __new__, "__init__": __init__, "__doc__": original.__doc__}
    members |= {"__module__": original.__module__, "_place": (module.import_name, name)}
    for exercise in module.exercises:
        if exercise.class_name == name:
            members[exercise.name] = _make_function(Target(module.import_name, name, exercise.name), student)
    if len(bases) == 1:
        members["__slots__"] = ("_remote",)  # Not among the attributes that make up the object's state.
    return type(name, bases, members)


def _make_function(target: Target, student: Student) -> Callable[..., Any]:
    def function(*args: Any, **kwargs: Any) -> Any:
        owner, args = (args[0], args[1:]) if target.class_name else (None, args)
        return student.call(target, owner, args, kwargs)

    function.__name__ = target.name
    function.__qualname__ = f"{target.class_name}.{target.name}" if target.class_name else target.name
    function.__module__ = target.module
    return function
