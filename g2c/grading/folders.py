"""Copies of what students' code may import of the course, a fresh one for each submission."""

import compileall
import shutil
from collections.abc import Mapping, Sequence
from importlib.util import cache_from_source
from pathlib import Path

from g2c.common.errors import CourseError
from g2c.common.paths import REPOSITORY
from g2c.course.exercises import modules
from g2c.grading import wall
from g2c.grading.constants import untouched_file
from g2c.grading.remote import Student

SHARED = "common"
"""The room that every package with exercises may import from."""

FOR_THE_PROCESS = ("g2c/__init__.py", "g2c/course/__init__.py", "g2c/course/testing/limits.py", "g2c/grading")
"""What is in a student's copy beside the packages that may be imported: what runs the student's process. Nothing in it
answers an exercise."""

NOT_COPIED = shutil.ignore_patterns("__pycache__", ".*")
"""For `shutil.copytree`: caches and hidden files."""


def importable_packages() -> list[str]:
    """The packages of the course that a submission may import: those with exercises, and what they share."""
    return sorted({f"g2c.{SHARED}", *(module.package for module in modules().values())})


def make_template(folder: Path) -> Path:
    """Copy into a new folder what every student's process needs of the course, and compile it, once for a class."""
    packages = [package.replace(".", "/") for package in importable_packages()]
    for name in (*FOR_THE_PROCESS, *packages):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        if (REPOSITORY / name).is_dir():
            shutil.copytree(REPOSITORY / name, folder / name, ignore=NOT_COPIED)
        else:
            shutil.copy2(REPOSITORY / name, folder / name)
    for module in modules().values():
        (folder / module.exercise_path).write_bytes(untouched_file(module))
    compileall.compile_dir(folder, quiet=2)
    return folder


def copy_for_student(
    folder: Path, template: Path, files: Mapping[str, bytes], hidden: Sequence[Path], *, isolated: bool = True
) -> wall.SandboxSettings:
    """Make a copy of what one student's process needs, with the student's files in the place of the course's.

    Args:
        folder: where to; it must exist.
        template: made by `make_template`.
        files: path in the copy -> content, for each file handed in.
        hidden: folders that the student's code may not read.
        isolated: whether the student's process puts itself behind the wall.
    """
    copy = folder / "course"
    shutil.copytree(template, copy)
    for name, content in files.items():
        (copy / name).write_bytes(content)
        Path(cache_from_source(copy / name)).unlink(missing_ok=True)
    return wall.SandboxSettings(
        course=copy,
        scratch=folder / "scratch",
        hidden=tuple(hidden),
        exercise_files=tuple(module.exercise_path for module in modules().values()),
        isolated=isolated,
    )


def require_wall(folder: Path, template: Path) -> None:
    """Start a process behind the wall, with a copy that has no student's code, to see that the kernel allows it.

    Args:
        folder: an empty folder for the trial.
        template: made by `make_template`.

    Raises:
        CourseError: the wall is not available on this machine.
    """
    if wall.is_available():
        with Student(copy_for_student(folder, template, {}, [REPOSITORY, folder])) as student:
            if not student.problem_of_import("builtins"):
                return
    raise CourseError(
        "Students' code cannot be isolated on this machine: that takes Linux 5.13 or later with Landlock. Grade in a "
        "container, as docs/grading.md describes. --unsafe grades without isolation, and every report then says that "
        "the marks could have been forged."
    )
