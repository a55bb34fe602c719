"""`g2c doctor`: check the installation and the files, and give a remedy for each problem."""

import argparse
import os
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from importlib import import_module
from importlib.metadata import packages_distributions
from importlib.util import find_spec
from pathlib import Path
from shlex import quote
from typing import NamedTuple

from rich.text import Text

from coach import state
from coach.commands.terminal import key_warning, make_console
from coach.common.answer_key import VARIABLE
from coach.common.course_file import PROGRAM
from coach.common.errors import CourseError
from coach.common.paths import REPOSITORY, other_clone
from coach.exercise_file import check_file
from coach.exercises import course_packages, modules
from coach.setup.environment import EnvironmentFolder
from coach.source import SourceError

FINE, NOTE, PROBLEM = ("✓", "green"), ("!", "yellow"), ("✗", "bold red")
MAKE_ENVIRONMENT = "python -m coach.setup"


class Finding(NamedTuple):
    """Says what is wrong, and gives a remedy unless the sentence has one."""

    text: str
    remedy: str
    level: tuple[str, str] = PROBLEM


def run(arguments: argparse.Namespace) -> int:
    console = make_console()
    problems = 0
    for check, is_fine in CHECKS:
        for finding in list(check()) or [Finding(is_fine, "", FINE)]:
            console.print(Text.assemble(finding.level, f" {finding.text}"))
            if finding.remedy:
                console.print(Text(f"    {finding.remedy}", style="bold"))
            problems += finding.level is PROBLEM
    style = "bold red" if problems else "bold green"
    console.print(Text(f"\nProblems found: {problems}." if problems else "\nNo problems found.", style=style))
    return min(problems, 1)


def check_clone() -> Iterator[Finding]:
    """With two clones, it is easy to edit one and test the other."""
    if warning := other_clone():
        remedy = f"Use this clone's own environment: unset PYTHONPATH; {MAKE_ENVIRONMENT}; source .venv/bin/activate"
        yield Finding(warning, remedy)


def check_names() -> Iterator[Finding]:
    """Find files that Python takes for a library because they are in the current folder or a program's."""
    libraries = sys.stdlib_module_names | set(packages_distributions())
    own = {REPOSITORY / name for name in ("coach", *course_packages())}
    folders = (REPOSITORY, REPOSITORY / "tests", REPOSITORY / "notebooks" / "mine", Path.cwd())
    for path in sorted({path for folder in folders if folder.is_dir() for path in folder.iterdir()}):
        is_module = path.suffix == ".py" or (path / "__init__.py").is_file()
        if is_module and path.stem in libraries and path not in own:
            text = f"{path} hides the library {path.stem} from programs that run in this folder."
            yield Finding(text, f"mv {quote(str(path))} {quote(str(path.with_name(f'my_{path.name}')))}")


def check_environment() -> Iterator[Finding]:
    environment = EnvironmentFolder()
    if Path(sys.prefix).resolve() != environment.folder.resolve():
        text = f"{PROGRAM} runs in {sys.prefix}, not in the course's environment .venv."
        yield Finding(text, f"{MAKE_ENVIRONMENT}; source .venv/bin/activate", NOTE)
    elif problem := environment.problem():
        yield Finding(f"The environment .venv is out of date or incomplete: {problem}.", MAKE_ENVIRONMENT)


def check_answer_key() -> Iterator[Finding]:
    try:
        warning = key_warning()
    except CourseError as error:
        warning = str(error)
    if warning:
        yield Finding(warning, f"unset {VARIABLE}")


def check_edited_files() -> Iterator[Finding]:
    """Find edited files. Edited tests prove nothing, and an edited given file can make a distant test fail."""
    # The course may lie in a repository of somebody else, or be in a folder of it that is not committed.
    folders = ("tests", "coach", *course_packages())
    is_known = ["git", "-C", str(REPOSITORY), "ls-files", "--error-unmatch", *folders]
    difference = ["git", "-C", str(REPOSITORY), "diff", "--name-only", "--relative", "HEAD", "--", *folders]
    run_git = partial(subprocess.run, check=True, capture_output=True, encoding="utf-8")
    with suppress(FileNotFoundError, subprocess.CalledProcessError):
        run_git(is_known)
        changed = run_git(difference).stdout.splitlines()
        if edited := sorted(set(changed) - {module.exercise_path for module in modules().values()}):
            text = "Tests or other given files were edited or are missing, so what the tests say proves nothing."
            text += " If you write this course, commit your work. Otherwise, restore them:"
            yield Finding(text, f"git restore --source=HEAD {' '.join(edited)}")
        return
    text = "This is not a git clone, or git is missing, so edited tests cannot be detected."
    yield Finding(text, "Install git, and clone the course with it.", NOTE)


def check_exercise_files() -> Iterator[Finding]:
    for module in modules().values():
        try:
            check_file(module)
        except SourceError as problem:
            yield Finding(problem.sentence, problem.code)


def check_state() -> Iterator[Finding]:
    """After a call with sudo, the folder belongs to root."""
    folder = state.folder()
    if folder.exists() and not (folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)):
        text = f"{folder} cannot be written, so {PROGRAM} forgets which hints you have seen and which exercises pass."
        yield Finding(text, f"sudo rm -r {quote(str(folder))}")


def check_wall() -> Iterator[Finding]:
    """Say what separates students' code from the marks when an instructor grades here; a release has no grading."""
    if find_spec("coach.grading"):
        grading = import_module("coach.grading.wall")
        name = grading.wall_here().name
        remedy = f"{grading.INSTALL}, to grade." if name == "none" else ""
        yield Finding(f"around students' code, when it is graded: {name}", remedy, NOTE if remedy else FINE)


CHECKS = (
    (check_clone, "the clone in this folder is the one in use"),
    (check_names, "no file has the name of a library"),
    (check_environment, f"environment .venv, with Python {platform.python_version()}"),
    (check_answer_key, "your own code is in use, not the answer key"),
    (check_edited_files, "tests and given files are unchanged"),
    (check_exercise_files, "tests can use each exercise file"),
    (check_state, "your progress can be saved"),
    (check_wall, "this copy of the course grades nobody"),
)
"""Each check with the line that is printed when it finds nothing wrong."""
