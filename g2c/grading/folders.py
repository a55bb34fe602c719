"""Copies of what students' code may import of the course, a fresh one for each submission.

And the exercise files that grading makes itself: such as solve nothing, from which the scheme of points is derived.

>>> [sorted(files) for files in constant_files(["04", "04c"])]
[['batching', 'bpe'], ['batching', 'bpe']]
"""

import ast
import compileall
import shutil
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from importlib.util import cache_from_source
from pathlib import Path

from g2c.common.errors import CourseError
from g2c.common.paths import REPOSITORY
from g2c.course.exercises import Module, modules
from g2c.course.source import functions, parsed, with_given
from g2c.grading import wall
from g2c.grading.processes import MachineFault
from g2c.grading.remote import Student

SHARED = "common"
"""The room that every package with exercises may import from."""

FOR_THE_PROCESS = ("g2c/__init__.py", "g2c/course/__init__.py", "g2c/course/testing/limits.py", "g2c/grading")
"""What is in a student's copy beside the packages that may be imported: what runs the student's process. Nothing in it
answers an exercise."""

NOT_COPIED = shutil.ignore_patterns("__pycache__", ".*")
"""For `shutil.copytree`: caches and hidden files."""


def importable_packages() -> list[str]:
    """Return the packages of the course that a submission may import: those with exercises, and what they share."""
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
    """Make a copy of what one student's process needs, with the student's files in the place of the course's."""
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
    """Start a process behind the wall, with a copy that has no student's code, or say that the kernel allows none."""
    if wall.is_available():
        trial = copy_for_student(folder, template, {}, [REPOSITORY, folder])
        with suppress(MachineFault), Student(trial) as student:
            if not student.problem_of_import("builtins"):
                return
    raise CourseError(
        "Students' code cannot be isolated on this machine: that takes Linux 5.13 or later with Landlock. Grade in a "
        "container, as docs/grading.md describes. --unsafe grades without isolation, and every report then says that "
        "the marks could have been forged."
    )


# --- files that somebody could have handed in -------------------------------------------------------------------------


EMPTY = {"dict": "{}", "list": "[]", "tuple": "()", "str": "''", "int": "0", "bytes": "b''"}
"""Type in the annotation of a result -> the empty value of this type. For all others, and unions, it is None."""


def constant_files(module_ids: Iterable[str]) -> list[dict[str, bytes]]:
    """Submissions that solve nothing: one that returns 1 everywhere, one with an empty result of the right type."""
    chosen = [modules()[module_id] for module_id in module_ids]
    return [{module.file: _with_bodies(module, body) for module in chosen} for body in ("return 1", "")]


def untouched_file(module: Module) -> bytes:
    """Return the exercise file without a solution, also where somebody has solved exercises in this checkout."""
    return _with_bodies(module, "raise NotImplementedError('TODO: {name}')")


def answered_file(module: Module) -> bytes:
    """Return the exercise file with the answer key's code for every exercise. What that imports comes last."""
    tree, key = parsed(module.exercise_file), parsed(module.key_file)
    for exercise in module.exercises:
        function, answer = functions(tree)[exercise.qualified_name], functions(key)[exercise.qualified_name]
        function.args, function.body = answer.args, answer.body
    tree.body += [node for node in key.body if isinstance(node, ast.Import | ast.ImportFrom)]
    return ast.unparse(tree).encode()


def _with_bodies(module: Module, body: str) -> bytes:
    """Return the exercise file with this code for every exercise; with "", each returns an empty result."""
    tree = ast.parse(with_given(module))
    for exercise in [each for each in module.exercises if not each.given]:
        function = functions(tree)[exercise.qualified_name]
        code = body.format(name=exercise.name) or f"return {_empty(function.returns)}"
        function.body = ast.parse(code, mode="exec").body
    return ast.unparse(tree).encode()


def _empty(annotation: ast.expr | None) -> str:
    """Return the empty value for the annotation of a result, as Python code."""
    if isinstance(annotation, ast.Subscript):
        annotation = annotation.value
    return EMPTY.get(annotation.id, "None") if isinstance(annotation, ast.Name) else "None"
