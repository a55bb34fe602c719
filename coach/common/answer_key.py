"""Choosing whose code runs: the student's or the answer key's.

`G2C_SOLUTIONS=all` (or `04`, or `04a,04b`) selects the key for all modules or for some. If it is unset or empty, the
student's code runs; but if the course is installed as a library, there is no student, and the key runs. A package with
exercises provides its public names through `load_exercise`, so the choice is made here, when a name is first used.

The answer key is the package `solutions` beside the packages with exercises: `g2c.solutions` beside `g2c.tokenizer`.
Its modules have the names of the exercise files.
"""

import os
from importlib import import_module
from typing import Any

from coach.common.errors import CourseError
from coach.common.paths import REPOSITORY, is_checkout

VARIABLE = "G2C_SOLUTIONS"

NO_ANSWERS = "This copy of the course was made without the answers; whoever teaches it has them."
"""The message when someone asks for an answer in a release without answers (`g2c release --no-solutions`)."""


def key_of(package: str) -> str:
    """Return the package of the answer key for a package with exercises.

    >>> key_of("g2c.tokenizer")
    'g2c.solutions'
    """
    return f"{package.partition('.')[0]}.solutions"


def has_key(package: str) -> bool:
    """Tell whether there is an answer key for a package. Releases without answers, and graded copies, have none."""
    return (REPOSITORY / key_of(package).replace(".", "/")).is_dir()


def require_key(package: str) -> None:
    """Raise CourseError if this copy of the course has no answer key, which is requested."""
    if not has_key(package):
        raise CourseError(f"{NO_ANSWERS} To use your own code: unset {VARIABLE}")


def requested_modules() -> tuple[str, ...]:
    """Return the module IDs that `G2C_SOLUTIONS` lists, not validated; ("all",) stands for every module."""
    return tuple(part.strip() for part in os.environ.get(VARIABLE, "").split(",") if part.strip())


def load_exercise(package: str, file: str, module_id: str, name: str) -> Any:
    """Import a class or function from an exercise file, or its counterpart from the answer key.

    The arguments are such as "g2c.tokenizer", "bpe", "04" and "BPETokenizer". Raises CourseError if the key is
    requested, and there is none.
    """
    is_requested = bool({module_id, "all"} & set(requested_modules()))
    if is_requested:
        require_key(package)
    uses_key = is_requested or (has_key(package) and not is_checkout())
    return getattr(import_module(f"{key_of(package) if uses_key else package}.{file}"), name)
