"""Copies of the course for grading: one for the judge, and a fresh one for each student's code."""

import compileall
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from importlib.util import cache_from_source
from pathlib import Path

from g2c.common.paths import REPOSITORY
from g2c.course.diagnosis.bank import BANK
from g2c.course.exercises import modules
from g2c.grading.processes import quiet_environment
from g2c.grading.remote import Folders

CACHES = shutil.ignore_patterns("__pycache__", ".*")
FIRST_USER = 61_184
"""With root's rights each student's code runs as a user of its own, from this number on, who owns nothing else."""

FOR_STUDENTS = (
    "g2c/__init__.py",
    "g2c/common",
    "g2c/course/__init__.py",
    "g2c/course/limits.py",
    "g2c/grading/__init__.py",
    "g2c/grading/fence.py",
    "g2c/grading/processes.py",
    "g2c/grading/sandbox.py",
    "g2c/grading/wire.py",
)
"""What a student's copy has beside the packages with exercises: what these stand on, and the process that runs them.
Nothing here answers an exercise, and what is not here cannot be imported."""


def copy_for_judge(folder: Path, hidden: Path | None) -> Path:
    """The package with everything that belongs to it, suites, mistake bank, and the instructor's hidden tests."""
    shutil.copytree(REPOSITORY / "g2c", folder / "g2c", ignore=CACHES)
    if BANK.is_dir():
        shutil.copytree(BANK, folder / BANK.relative_to(REPOSITORY), ignore=CACHES)
    shutil.copy(REPOSITORY / "pyproject.toml", folder)
    for module in modules().values():
        for name in (module.suite, module.handout):
            if (REPOSITORY / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(REPOSITORY / name, folder / name)
    if hidden is not None:
        shutil.copytree(hidden, folder / "tests" / "hidden", ignore=CACHES)
    _compile(folder)
    folder.chmod(0o700)
    return folder


def copy_for_students(folder: Path) -> Path:
    """The packages with exercises and what they need: what every student's copy is made from."""
    packages = {module.package.replace(".", "/") for module in modules().values()}
    for name in (*FOR_STUDENTS, *sorted(packages)):
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if (REPOSITORY / name).is_dir():
            shutil.copytree(REPOSITORY / name, place, ignore=CACHES)
        else:
            shutil.copy(REPOSITORY / name, place)
    _compile(folder)
    return folder


def copy_for_student(folder: Path, original: Path, files: Mapping[str, bytes], user: int | None) -> Folders:
    """A fresh copy with the student's exercise files in the place of the course's.

    Args:
        folder: where to; it must exist.
        original: made by `copy_for_students`.
        files: "bpe" -> content of bpe.py, for each file handed in.
        user: who will own the scratch folder.
    """
    course, scratch = folder / "course", folder / "scratch"
    shutil.copytree(original, course)
    paths = {module.file: module.exercise_path for module in modules().values()}
    for name, content in files.items():
        path = course / paths[name]
        path.write_bytes(content)
        Path(cache_from_source(path)).unlink(missing_ok=True)
    scratch.mkdir()
    if user is not None:
        os.chown(scratch, user, user)
        course.chmod(0o755)
    return Folders(course, scratch, user)


def _compile(folder: Path) -> None:
    """Once here, instead of in every process that grades."""
    compileall.compile_dir(folder, quiet=2, force=True)


def can_change_user(folder: Path) -> bool:
    """Whether the student's code can run as another user: root may do so, where that user can run this Python."""
    if os.geteuid() != 0:
        return False
    try:
        done = subprocess.run(
            [sys.executable, "-I", "-B", "-c", "import numpy, psutil, pytest_timeout, rich, tokenizers"],
            cwd=folder,
            env=quiet_environment(folder),
            user=FIRST_USER,
            group=FIRST_USER,
            extra_groups=[],
            capture_output=True,
            timeout=60,
        )
    except (OSError, subprocess.SubprocessError):
        return False
    return done.returncode == 0
