"""Copies of the course for grading: one for the test runner, and a fresh one for each student's code."""

import compileall
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.util import cache_from_source
from pathlib import Path

from g2c.common.paths import REPOSITORY, data_folder
from g2c.course.diagnosis.bank import BANK
from g2c.course.exercises import modules
from g2c.grading.policy import COURSE, SandboxSettings
from g2c.grading.processes import quiet_environment

CACHES = shutil.ignore_patterns("__pycache__", ".*")
FIRST_USER = 61_184
"""As root, `g2c grade` runs each student's code as a user of its own, from this number on, who owns nothing else."""

SHARED = "common"
"""The room that every package with exercises may import from."""

FOR_THE_PROCESS = (
    "__init__.py",
    "course/__init__.py",
    "course/limits.py",
    "grading/__init__.py",
    "grading/codec.py",
    "grading/landlock.py",
    "grading/policy.py",
    "grading/processes.py",
    "grading/sandbox.py",
    "grading/state_sync.py",
)
"""Files in a student's copy beside the packages that may be imported: those that run the sandbox process. None of them
answers an exercise, and once the process has started, the student's code cannot import them."""


def copy_for_runner(folder: Path, hidden: Path | None) -> Path:
    """Make the test runner's copy: the whole package, the suites, the mistakes, and the instructor's hidden tests."""
    shutil.copytree(REPOSITORY / "g2c", folder / "g2c", ignore=CACHES)
    if BANK.is_dir():
        shutil.copytree(BANK, folder / BANK.relative_to(REPOSITORY), ignore=CACHES)
    shutil.copy(REPOSITORY / "pyproject.toml", folder)
    for module in modules().values():
        for name in (module.suite, module.handout, module.pitfalls):
            if (REPOSITORY / name).is_file():
                (folder / name).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(REPOSITORY / name, folder / name)
    if hidden is not None:
        shutil.copytree(hidden, folder / "tests" / "hidden", ignore=CACHES)
    _compile(folder)
    folder.chmod(0o700)
    return folder


def importable_packages() -> list[str]:
    """The packages of the course that a submission may import: those with exercises, and what they share."""
    return sorted({f"{COURSE}.{SHARED}", *(module.package for module in modules().values())})


def copy_for_students(folder: Path) -> Path:
    """Make the folder that every student's copy is made from: the importable packages and the sandbox process."""
    packages = [package.replace(".", "/") for package in importable_packages()]
    for name in (*(f"{COURSE}/{file}" for file in FOR_THE_PROCESS), *packages):
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if (REPOSITORY / name).is_dir():
            shutil.copytree(REPOSITORY / name, place, ignore=CACHES)
        else:
            shutil.copy(REPOSITORY / name, place)
    _compile(folder)
    return folder


def copy_for_student(
    folder: Path, original: Path, files: Mapping[str, bytes], user: int | None, hidden: Sequence[Path]
) -> SandboxSettings:
    """Make a fresh copy with the student's exercise files in the place of the course's.

    Args:
        folder: where to; it must exist.
        original: made by `copy_for_students`.
        files: "bpe" -> content of bpe.py, for each file handed in.
        user: the user ID that will own the scratch folder; None for the user of this process.
        hidden: folders that the student's code may not read.
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
    return SandboxSettings(
        course=course,
        scratch=scratch,
        data=data_folder(),
        hidden=tuple(hidden),
        packages=tuple(importable_packages()),
        exercise_files=tuple(paths.values()),
    )


def _compile(folder: Path) -> None:
    """Compile once, instead of in every process that grades."""
    compileall.compile_dir(folder, quiet=2, force=True)


def can_change_user(folder: Path) -> bool:
    """Whether the student's code can run as another user: this process is root, and that user can run this Python."""
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
