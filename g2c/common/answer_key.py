"""Choosing whose code runs: the student's or the answer key's.

`G2C_SOLUTIONS=all` (or `04`, or `04a,04b`) selects the key for all modules or for some. When it is unset or empty, only
the student's code is used; installed as a library, the course has no student, and the key's code is used. A package
with exercises provides its public names through `load_exercise`, so the choice is made in this one place, when a name
is first used.
"""

import os
from importlib import import_module
from pathlib import Path
from typing import Any

from g2c.common.errors import CourseError
from g2c.common.paths import is_checkout

VARIABLE = "G2C_SOLUTIONS"

KEY_PACKAGE = "g2c.solutions"
"""The package of the answer key. Its modules are named like the exercise files."""

NO_ANSWERS = "This copy of the course was made without the answers; whoever teaches it has them."
"""The message for anybody who asks for an answer in a release without answers (`g2c release --no-solutions`)."""


def has_key() -> bool:
    """Tell whether there is an answer key. Releases without answers, and graded copies, have none."""
    return (Path(__file__).resolve().parents[1] / "solutions").is_dir()


def require_key() -> None:
    """Raise CourseError, because the answer key is requested, where this copy of the course has none."""
    if not has_key():
        raise CourseError(f"{NO_ANSWERS} To use your own code: unset {VARIABLE}")


def requested_modules() -> tuple[str, ...]:
    """Return the module IDs that `G2C_SOLUTIONS` lists, not validated; ("all",) stands for every module."""
    return tuple(part.strip() for part in os.environ.get(VARIABLE, "").split(",") if part.strip())


def load_exercise(package: str, file: str, module_id: str, name: str) -> Any:
    """Import a class or function from an exercise file, or its counterpart from the answer key.

    Args:
        package, file: those of the exercise file, such as "g2c.tokenizer" and "bpe".
        module_id: the course module that the file belongs to, such as "04".
        name: the public name, such as "BPETokenizer".

    Raises:
        CourseError: the key is requested, and there is none.
    """
    is_requested = bool({module_id, "all"} & set(requested_modules()))
    if is_requested:
        require_key()
    uses_key = is_requested or (has_key() and not is_checkout())
    return getattr(import_module(f"{KEY_PACKAGE if uses_key else package}.{file}"), name)
