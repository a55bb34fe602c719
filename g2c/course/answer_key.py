"""The modules for which `G2C_SOLUTIONS` requests the answer key, checked against the list of modules."""

import os

from g2c.common.answer_key import NO_ANSWERS, VARIABLE, has_key, requested_modules
from g2c.common.errors import CourseError
from g2c.course.exercises import modules


def modules_with_key() -> frozenset[str]:
    """IDs of the modules for which `G2C_SOLUTIONS` requests the answer key.

    Raises:
        CourseError: the variable names a module that does not exist, or this copy of the course has no answer key.
    """
    requested = requested_modules()
    if requested and not has_key():
        raise CourseError(f"{NO_ANSWERS} To use your own code: unset {VARIABLE}")
    if requested == ("all",):
        return frozenset(modules())
    for module_id in requested:
        if module_id not in modules():
            raise CourseError(
                f"{VARIABLE}={os.environ[VARIABLE]!r} names the module {module_id!r}, which does not exist; "
                f"use all, or some of {','.join(modules())}."
            )
    return frozenset(requested)
