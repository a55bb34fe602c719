"""Reads course.toml, the only file that says what the course beside this package is. Its head explains the keys."""

import tomllib
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from typing import Any

from coach.common.errors import CourseError
from coach.common.paths import REPOSITORY

COURSE_FILE = REPOSITORY / "course.toml"


@cache
def course_file() -> dict[str, Any]:
    """Return the content of course.toml; nothing where the course is installed as a library.

    CourseError: it is not valid TOML.
    """
    try:
        return tomllib.loads(COURSE_FILE.read_text(encoding="utf-8")) if COURSE_FILE.is_file() else {}
    except tomllib.TOMLDecodeError as error:
        raise CourseError(f"{COURSE_FILE.name} is not valid TOML: {error}") from None


def _program() -> str:
    with suppress(CourseError):  # Whoever reads more of the file reports it.
        return str(course_file().get("program", "coach"))
    return "coach"


PROGRAM = _program()
"""The name of the course's command, which messages show."""


def hook(name: str) -> Callable[..., Any] | None:
    """Return the function that the course gives for a purpose, written as "package.module:function"; None if it gives
    none."""
    place = course_file().get("hooks", {}).get(name)
    if place is None:
        return None
    module, _, function = place.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), function)
    return found
