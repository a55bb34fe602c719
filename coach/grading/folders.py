"""Makes copies of the course, without answers, in which submissions run."""

import compileall
import shutil
from collections.abc import Mapping
from importlib.util import cache_from_source
from pathlib import Path

from coach.common.course_file import course_file
from coach.common.paths import REPOSITORY
from coach.exercises import modules

FOR_THE_PROCESS = (
    *("coach/__init__.py", "coach/testing/__init__.py", "coach/testing/limits.py"),
    *(f"coach/grading/{name}.py" for name in ("__init__", "importing", "pupil", "values")),
)
"""The files that run the pupil's process."""


def importable_packages() -> list[str]:
    """Return the packages that a submission may import: those with exercises, and those that they share."""
    shared = course_file().get("grading", {}).get("shared", ())
    return sorted({"coach.common", *shared, *(module.package for module in modules().values())})


def copy_visible(source: Path, target: Path) -> None:
    """Copy a file or a folder, without caches and hidden files. A clone may be read-only, the copy is not."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.is_dir():
        shutil.copytree(source, target, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    else:
        shutil.copy2(source, target)
    for path in (target, *target.rglob("*")):
        path.chmod(path.stat().st_mode | 0o200)


def make_template(folder: Path, exercise_files: Mapping[str, bytes]) -> Path:
    """Copy the parts of the course that every pupil's process needs into a new folder, and compile them."""
    packages = importable_packages()
    above = {f"{package.partition('.')[0]}/__init__.py" for package in packages}
    for name in sorted({*FOR_THE_PROCESS, *above, *(package.replace(".", "/") for package in packages)}):
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
