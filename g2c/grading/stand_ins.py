"""Stand-ins for the student's classes and functions: what the tests get from its package in the judge.

A stand-in has the given code of the exercise file, as the course hands it out; what the student had to write goes over
the connection.
"""

from collections.abc import Callable
from importlib import import_module
from typing import Any

from g2c.course.exercises import Module
from g2c.grading.remote import Handle, Student, Target


def stand_ins(module: Module, student: Student) -> dict[str, Any]:
    """Public name of a module -> the class or function that calls the student's."""
    pristine = import_module(module.import_name)
    made: dict[str, Any] = {}
    for name in module.public_names:
        original = getattr(pristine, name)
        if isinstance(original, type):
            made[name] = _class(module, original, made, student)
            student.classes[module.import_name, name] = made[name]
        else:
            made[name] = _function(Target(module.import_name, None, name), student)
    return made


def _class(module: Module, original: type, made: dict[str, Any], student: Student) -> type:
    name = original.__name__
    bases = (original, *(made[base.__name__] for base in original.__mro__[1:] if base.__name__ in made))
    body: dict[str, Any] = {
        exercise.name: _method(Target(module.import_name, name, exercise.name), student)
        for exercise in module.exercises
        if exercise.class_name == name
    }

    def __new__(cls, *args, **kwargs):
        stand_in = object.__new__(cls)
        stand_in._remote = Handle(None)
        return stand_in

    def __init__(self, *args, **kwargs):
        original.__init__(self, *args, **kwargs)
        self._remote.made_with = (args, kwargs)

    body |= {"__new__": __new__, "__init__": __init__, "__doc__": original.__doc__}
    body["_place"] = (module.import_name, name)
    if len(bases) == 1:
        body["__slots__"] = ("_remote",)  # Not among the attributes that make up the tokenizer's state.
    body["__module__"] = original.__module__
    return type(name, bases, body)


def _method(target: Target, student: Student) -> Callable:
    def method(self, *args, **kwargs):
        return student.call(target, self, args, kwargs)

    return _named(method, target)


def _function(target: Target, student: Student) -> Callable:
    def function(*args, **kwargs):
        return student.call(target, None, args, kwargs)

    return _named(function, target)


def _named(function: Callable, target: Target) -> Callable:
    function.__name__ = target.name
    function.__qualname__ = f"{target.class_name}.{target.name}" if target.class_name else target.name
    function.__module__ = target.module
    return function
