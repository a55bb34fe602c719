"""Which code is in use: the student's, or the answer key.

`G2C_SOLUTIONS=all` (or `04`, or `04a,04b`) chooses the key; unset or empty, everything is the student's own.
"""

import os

from g2c.course.exercises import modules
from g2c.errors import CourseError

VARIABLE = "G2C_SOLUTIONS"

EXERCISE_FILES: dict[str, str] = {module.id: module.file for module in modules().values()}
"""Module ID -> name of its exercise file: g2c/tokenizer/NAME.py, with the key in g2c/solutions/NAME.py."""


def modules_with_key() -> frozenset[str]:
    """IDs of the modules for which `G2C_SOLUTIONS` asks for the answer key.

    Raises:
        CourseError: the variable names a module that does not exist.
    """
    wanted = [part.strip() for part in os.environ.get(VARIABLE, "").split(",") if part.strip()]
    if wanted == ["all"]:
        return frozenset(EXERCISE_FILES)
    for module_id in wanted:
        if module_id not in EXERCISE_FILES:
            raise CourseError(
                f"{VARIABLE}={os.environ[VARIABLE]!r} names the module {module_id!r}, which does not exist; "
                f"use all, or some of {','.join(EXERCISE_FILES)}."
            )
    return frozenset(wanted)
