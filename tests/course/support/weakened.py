"""Runs `g2c grade` with one change, such as a missing wall, to see that attacks then succeed.

    python weakened.py CHANGE ARGUMENTS_OF_G2C_GRADE
    python weakened.py CHANGE                           in place of the examiner

Nothing in the course can switch a wall off, so this file replaces functions of it, in each process that grades.
"""

import sys
from dataclasses import replace
from typing import Any

from coach.grading import boundary, folders, session
from coach.grading.wall import Wall


def less_time() -> None:
    """Weaken nothing, but give endless code less time."""
    boundary.LIMITS = replace(boundary.LIMITS, seconds=0.5)
    boundary.AFTER_A_FAILURE, boundary.GRACE, boundary.IMPORTING = 0.2, 0.2, 3.0


def no_wall() -> None:
    """Let students' code read and write every file, with the answer key in the copy that it imports from."""
    session.require_wall = lambda *, trust: Wall("none", "Nothing was kept out.")
    folders.FOR_THE_PROCESS += ("small/solutions",)


def without_wall() -> None:
    """Grade as on a machine without bubblewrap."""
    session.require_wall = lambda *, trust: Wall("none", "Nothing was kept out.")
    less_time()


def one_process() -> None:
    """Run students' code in the tests' process, like a grader that has only one."""

    def call(self: Any, target: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        file = self.course / target.file
        space = self.__dict__.setdefault("space", {"__name__": target.module})
        if len(space) == 1:
            exec(compile(file.read_bytes(), file, "exec"), space)
        return space[target.name](*args, **kwargs)

    boundary.Student.call = call  # type: ignore[method-assign]


CHANGES = {change.__name__: change for change in (less_time, no_wall, without_wall, one_process)}

if __name__ == "__main__":
    name, *arguments = sys.argv[1:]
    CHANGES[name]()
    session.EXAMINER = (__file__, name)  # type: ignore[assignment]
    if arguments:
        from coach.cli import main

        sys.exit(main(["grade", *arguments]))
    from coach.grading.examiner import main as examine

    examine()
