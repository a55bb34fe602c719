"""Whose code runs: the student's, or the answer key's.

`G2C_SOLUTIONS=all` (or `04`, or `04a,04b`) chooses the key for all modules or for some; unset or empty, everything is
the student's own. A package with exercises hands out its public names through `load_exercise`, so the choice is made in
this one place, when a name is first asked for.
"""

import os
from importlib import import_module
from typing import Any

VARIABLE = "G2C_SOLUTIONS"

KEYS = "g2c.solutions"
"""The package of the answer key: its modules have the names of the exercise files."""


def requested_modules() -> tuple[str, ...]:
    """The module IDs that `G2C_SOLUTIONS` lists, as they stand there; ("all",) for every module."""
    return tuple(part.strip() for part in os.environ.get(VARIABLE, "").split(",") if part.strip())


def load_exercise(package: str, file: str, module_id: str, name: str) -> Any:
    """A class or function of an exercise file, or its counterpart in the answer key.

    Args:
        package: the package of the exercise file, such as "g2c.tokenizer".
        file: the exercise file's name without its suffix, such as "bpe".
        module_id: the course module that the file belongs to, such as "04".
        name: the public name, such as "BPETokenizer".
    """
    uses_key = {module_id, "all"} & set(requested_modules())
    return getattr(import_module(f"{KEYS if uses_key else package}.{file}"), name)
