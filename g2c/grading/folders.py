"""Makes the copy of the course that a submission runs with, which answers no exercise."""

import compileall
import shutil
from collections.abc import Mapping
from importlib.util import cache_from_source
from pathlib import Path

from g2c.common.paths import REPOSITORY
from g2c.course.exercises import modules

FOR_THE_PROCESS = (
    *("g2c/__init__.py", "g2c/course/__init__.py", "g2c/course/testing/__init__.py", "g2c/course/testing/limits.py"),
    *(f"g2c/grading/{name}.py" for name in ("__init__", "importing", "pupil", "values")),
)
"""The files that run the pupil's process."""


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


def make_template(folder: Path, exercise_files: Mapping[str, bytes]) -> Path:
    """Copy the parts of the course that every pupil's process needs into a new folder, and compile them."""
    for name in (*FOR_THE_PROCESS, *(package.replace(".", "/") for package in importable_packages())):
        copy_visible(REPOSITORY / name, folder / name)
    for name, content in exercise_files.items():
        (folder / name).write_bytes(content)
    compileall.compile_dir(folder, quiet=2)
    return folder


def copy_for_student(folder: Path, template: Path, files: Mapping[str, bytes]) -> Path:
    """Copy the template for one submission, with the student's files in place of the course's."""
    copy = folder / "course"
    shutil.copytree(template, copy)
    for name, content in files.items():
        (copy / name).write_bytes(content)
        Path(cache_from_source(copy / name)).unlink(missing_ok=True)
    for path in (copy, *copy.rglob("*")):
        # The process may have another user.
        path.chmod(0o755 if path.is_dir() else 0o644)
    return copy
