"""Makes the copy of the course that a submission runs with, and exercise files that solve nothing or everything.

The scheme of points comes from runs on those that solve nothing.

>>> [sorted(files) for files in constant_files(["04", "04c"])]
[['batching', 'bpe'], ['batching', 'bpe']]
"""

import ast
import compileall
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing, suppress
from importlib.util import cache_from_source
from pathlib import Path

from g2c.common.errors import CourseError
from g2c.common.paths import REPOSITORY
from g2c.course.exercises import Module, modules
from g2c.course.source import functions, parsed
from g2c.grading.processes import MachineFault
from g2c.grading.remote import Student
from g2c.grading.wall import SandboxSettings

FOR_THE_PROCESS = ("g2c/__init__.py", "g2c/course/__init__.py", "g2c/course/testing/limits.py", "g2c/grading")
"""Files that run the student's process. A submission's copy has them beside the packages that it may import, and none
answers an exercise."""


def importable_packages() -> list[str]:
    """Return the packages of the course that a submission may import: those with exercises, and the one they share."""
    return sorted({"g2c.common", *(module.package for module in modules().values())})


def copy_visible(source: Path, target: Path) -> None:
    """Copy a file or a folder, without caches and hidden files."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    else:
        shutil.copy2(source, target)


def make_template(folder: Path) -> Path:
    """Copy the parts of the course that every student's process needs into a new folder, and compile them."""
    for name in (*FOR_THE_PROCESS, *(package.replace(".", "/") for package in importable_packages())):
        copy_visible(REPOSITORY / name, folder / name)
    for module in modules().values():
        (folder / module.exercise_path).write_bytes(untouched_file(module))
    compileall.compile_dir(folder, quiet=2)
    return folder


def copy_for_student(
    folder: Path, template: Path, files: Mapping[str, bytes], hidden: Sequence[Path], *, isolated: bool = True
) -> SandboxSettings:
    """Copy the template for one submission, with the student's files in place of the course's."""
    copy = folder / "course"
    shutil.copytree(template, copy)
    for name, content in files.items():
        (copy / name).write_bytes(content)
        Path(cache_from_source(copy / name)).unlink(missing_ok=True)
    exercise_files = tuple(module.exercise_path for module in modules().values())
    return SandboxSettings(copy, folder / "scratch", tuple(hidden), exercise_files, isolated=isolated)


def require_wall(folder: Path, template: Path) -> None:
    """Start a process behind the wall, without any student's code. CourseError: the kernel allows none."""
    trial = copy_for_student(folder, template, {}, [REPOSITORY, folder])
    with suppress(MachineFault), closing(Student(trial)) as student:
        if not student.problem_of_import("builtins"):
            return
    raise CourseError(
        "Students' code cannot be isolated on this machine: that takes Linux 5.13 or later with Landlock. Grade in a "
        "container, as docs/grading.md describes. --unsafe grades without isolation, and every report then says that "
        "the marks could have been forged."
    )


# --- files that somebody could have handed in -------------------------------------------------------------------------


EMPTY = {"dict": "{}", "list": "[]", "tuple": "()", "str": "''", "int": "0", "bytes": "b''"}
"""Type in the annotation of a result -> its empty value. For other types, and unions, it is None."""


def constant_files(module_ids: Iterable[str]) -> list[dict[str, bytes]]:
    """Make two submissions that solve nothing: one returns 1 everywhere, the other an empty value of the right type."""
    chosen = [modules()[module_id] for module_id in module_ids]
    return [{module.file: _with_bodies(module, body) for module in chosen} for body in ("return 1", "return {empty}")]


def untouched_file(module: Module) -> bytes:
    """Return the exercise file without a solution, even if somebody has solved exercises in this checkout."""
    return _with_bodies(module, "raise NotImplementedError('TODO: {name}')")


def answered_file(module: Module) -> bytes:
    """Return the exercise file with the answer key below it, whose class or functions take the place of the file's."""
    return untouched_file(module) + b"\n\n" + module.key_file.read_bytes()


def _with_bodies(module: Module, body: str) -> bytes:
    """Return the exercise file with this code for every exercise, with its {name} and an {empty} value of its type."""
    tree = parsed(module.exercise_file)
    for exercise in module.exercises:
        function = functions(tree)[exercise.qualified_name]
        returned = function.returns.value if isinstance(function.returns, ast.Subscript) else function.returns
        empty = EMPTY.get(returned.id, "None") if isinstance(returned, ast.Name) else "None"
        function.body = ast.parse(body.format(name=exercise.name, empty=empty)).body
    return ast.unparse(tree).encode()
