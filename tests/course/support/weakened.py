"""Runs `g2c grade` with one change, such as a missing wall, to see that attacks then succeed.

    python weakened.py CHANGE ARGUMENTS_OF_G2C_GRADE

The change is made in every process: in `g2c grade`, in the test runner, and in the students' processes. Nothing in the
course can switch a wall off, so this file replaces functions of it.
"""

import errno
import os
import sys
from dataclasses import replace
from typing import Any

from g2c.grading import processes, wall


def runs_students_code() -> bool:
    return "g2c.grading.sandbox" in sys.modules


def less_time() -> None:
    """Weaken nothing, but give endless code less time."""
    if not runs_students_code():
        from g2c.grading import remote

        remote.LIMITS = replace(remote.LIMITS, seconds=0.5)


def no_landlock() -> None:
    """Let students' code read and write every file, with the answer key in the copy that it imports from."""
    wall.restrict_files = lambda access: None
    if not runs_students_code():
        from g2c.grading import folders

        folders.FOR_THE_PROCESS += ("g2c/solutions",)


def no_landlock_and_no_seccomp() -> None:
    """Let students' code also start programs and open connections."""
    no_landlock()
    wall.restrict_system_calls = lambda: None


def key_code(module: Any, exercises: Any) -> str:
    """Return the answer key, with its code for these exercises in place of the student's, for the end of a file."""
    lines = [f"exec(compile({module.key_file.read_text(encoding='utf-8')!r}, '<answer key>', 'exec'), key := {{}})"]
    for exercise in exercises:
        name, *method = exercise.qualified_name.split(".")
        lines.append(f"{exercise.qualified_name} = {'.'.join([f'key[{name!r}]', *method])}")
    return "\n".join(lines)


def key_in_the_process() -> None:
    """Put the answer key's code for exercises that failed into students' processes, which may lock files."""
    if runs_students_code():
        wall.OPERATIONS = {wall.FCNTL: (*range(8), 1030)}
        return
    from g2c.grading import runner

    def lend(key: Any, student: Any, module: Any, exercises: Any) -> None:
        file = student.settings.course / module.exercise_path
        own = file.read_bytes().partition(b"\n\nexec(compile(")[0]
        file.write_bytes(own + f"\n\n{key_code(module, exercises)}\n".encode())

    runner.lend = lend


def no_memory() -> None:
    """Weaken nothing, but start no process for submissions with the word `unlucky`."""
    if not runs_students_code():
        from g2c.grading import student_process

        begin = student_process.start_process

        def start_process(module: str, course: Any, folder: Any) -> Any:
            if any(b"unlucky" in file.read_bytes() for file in (course / "g2c" / "toys").glob("*.py")):
                raise OSError(errno.ENOMEM, os.strerror(errno.ENOMEM))
            return begin(module, course, folder)

        student_process.start_process = start_process


def one_process() -> None:
    """Run students' code in the tests' process, like a grader that has only one."""
    if runs_students_code():
        return
    from g2c.grading import remote

    def call(self: Any, target: Any, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        file = self.settings.course / target.file
        space = self.__dict__.setdefault("space", {"__name__": target.module})
        if len(space) == 1:
            exec(compile(file.read_bytes(), file, "exec"), space)
        return space[target.name](*args, **kwargs)

    remote.Student.call = call


CHANGES = {
    change.__name__: change
    for change in (less_time, no_landlock, no_landlock_and_no_seccomp, one_process, key_in_the_process, no_memory)
}


def weaken(name: str) -> None:
    """Make a change in this process and in those that it starts to grade."""
    again = f"import runpy\nrunpy.run_path({__file__!r})['weaken']({name!r})\nmain(Connection"
    processes._START = processes._START.replace("main(Connection", again)
    CHANGES[name]()


if __name__ == "__main__":
    weaken(sys.argv[1])
    from g2c.course.cli import main

    sys.exit(main(["grade", *sys.argv[2:]]))
