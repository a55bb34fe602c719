"""Copies of the course for grading: one for the test runner, and a fresh one for each student's code."""

import compileall
import shutil
from collections.abc import Iterator, Mapping, Sequence
from importlib.util import cache_from_source
from pathlib import Path

from g2c.common.errors import CourseError
from g2c.common.paths import REPOSITORY
from g2c.course.diagnosis.bank import BANK
from g2c.course.exercises import modules
from g2c.grading.remote import Student
from g2c.grading.wall import SandboxSettings, what_is_missing

SHARED = "common"
"""The room that every package with exercises may import from."""

FOR_THE_PROCESS = ("g2c/__init__.py", "g2c/course/__init__.py", "g2c/course/limits.py", "g2c/grading")
"""What is in a student's copy beside the packages that may be imported: what runs the student's process. Nothing in it
answers an exercise."""


def files_for_tests() -> Iterator[Path]:
    """What the tests need of the course: the package, the suites, the mistakes, and the pages that reports name."""
    yield REPOSITORY / "pyproject.toml"
    yield from visible_files(REPOSITORY / "g2c")
    # Without the wrong solutions, no report would name a mistake.
    yield from visible_files(BANK)
    for module in modules().values():
        paths = (module.suite_file, REPOSITORY / module.handout, REPOSITORY / module.pitfalls, module.checks_file)
        yield from (path for path in dict.fromkeys(paths) if path.is_file())


def visible_files(folder: Path) -> Iterator[Path]:
    """The files in a folder, without caches and hidden ones."""
    for path in sorted(folder.rglob("*")):
        parts = path.relative_to(folder).parts
        if path.is_file() and "__pycache__" not in parts and not any(part.startswith(".") for part in parts):
            yield path


def copy_for_runner(folder: Path, hidden: Path | None) -> Path:
    """Make the test runner's copy of the course, with the instructor's hidden tests."""
    files = {path: folder / path.relative_to(REPOSITORY) for path in files_for_tests()}
    if hidden is not None:
        files |= {path: folder / "tests" / "hidden" / path.relative_to(hidden) for path in visible_files(hidden)}
    for path, place in files.items():
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, place)
    compileall.compile_dir(folder, quiet=2, force=True)  # Once, instead of in every process that grades.
    folder.chmod(0o700)
    return folder


def importable_packages() -> list[str]:
    """The packages of the course that a submission may import: those with exercises, and what they share."""
    return sorted({f"g2c.{SHARED}", *(module.package for module in modules().values())})


def copy_for_student(
    folder: Path, course: Path, files: Mapping[str, bytes], hidden: Sequence[Path], *, isolated: bool = True
) -> SandboxSettings:
    """Make a copy of what one student's process needs, with the student's files in the place of the course's.

    Args:
        folder: where to; it must exist.
        course: made by `copy_for_runner`.
        files: path in the copy -> content, for each file handed in.
        hidden: folders that the student's code may not read.
        isolated: whether the student's process puts itself behind the wall.
    """
    copy, scratch = folder / "course", folder / "scratch"
    packages = [package.replace(".", "/") for package in importable_packages()]
    for name in (*FOR_THE_PROCESS, *packages):
        (copy / name).parent.mkdir(parents=True, exist_ok=True)
        if (course / name).is_dir():
            shutil.copytree(course / name, copy / name)
        else:
            shutil.copy2(course / name, copy / name)
    for name, content in files.items():
        (copy / name).write_bytes(content)
        Path(cache_from_source(copy / name)).unlink(missing_ok=True)
    scratch.mkdir(mode=0o700)
    return SandboxSettings(
        course=copy,
        scratch=scratch,
        hidden=tuple(hidden),
        exercise_files=tuple(module.exercise_path for module in modules().values()),
        isolated=isolated,
    )


def require_wall(folder: Path, course: Path) -> None:
    """Start a process behind the wall, with a copy that has no student's code, to see that the kernel allows it.

    Args:
        folder: an empty folder for the trial.
        course: made by `copy_for_runner`.

    Raises:
        CourseError: the wall is not available on this machine.
    """
    problem = what_is_missing()
    if not problem:
        with Student(copy_for_student(folder, course, {}, [REPOSITORY, folder])) as student:
            if student.try_import("builtins"):
                problem = "a sandboxed process does not start"
    if problem:
        raise CourseError(
            f"No sandbox for students' code is available on this machine: {problem}. Grade on Linux 5.13 or later with "
            "Landlock, or in a container, as docs/grading.md describes. --unsafe grades without isolation, and every "
            "report then says that the marks could have been forged."
        )
