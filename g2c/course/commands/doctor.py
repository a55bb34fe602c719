"""`g2c doctor`: checks the installation, the corpora and the files, and gives a remedy for each problem found."""

import argparse
import platform
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from rich.text import Text

from g2c.common.answer_key import VARIABLE
from g2c.common.errors import CourseError
from g2c.common.paths import REPOSITORY
from g2c.course.commands import inventory
from g2c.course.commands.terminal import key_warning, make_console
from g2c.course.exercises import modules
from g2c.course.setup.environment import EnvironmentFolder

NOTE, PROBLEM = ("!", "yellow"), ("✗", "bold red")
MAKE_ENVIRONMENT = "python -m g2c.course.setup"


class Finding(NamedTuple):
    """Something that is wrong: its mark and style, a sentence, and what to do where the sentence does not say so."""

    level: tuple[str, str]
    text: str
    remedy: str


def run(arguments: argparse.Namespace) -> int:
    console = make_console()
    problems = 0
    for check, is_fine in CHECKS:
        findings = list(check())
        if not findings:
            console.print(Text.assemble(("✓", "green"), f" {is_fine}"))
        for finding in findings:
            console.print(Text.assemble(finding.level, f" {finding.text}"))
            if finding.remedy:
                console.print(Text(f"    {finding.remedy}", style="bold"))
            problems += finding.level is PROBLEM
    console.print()
    if problems:
        console.print(Text(f"Problems found: {problems}.", style="bold red"))
        return 1
    console.print("No problems found.", style="bold green")
    return 0


# --- the installation -------------------------------------------------------------------------------------------------


def check_clone() -> Iterator[Finding]:
    """With two clones of the course it is easy to edit one and test the other."""
    here = Path.cwd()
    other = next((folder for folder in (here, *here.parents) if (folder / "g2c" / "course").is_dir()), None)
    if other and other != REPOSITORY:
        yield Finding(
            PROBLEM,
            f"You are in the clone {other}, but this g2c belongs to {REPOSITORY} and tests the files there.",
            f"Use this clone's own environment: unset PYTHONPATH; {MAKE_ENVIRONMENT}; source .venv/bin/activate",
        )


def check_environment() -> Iterator[Finding]:
    environment = EnvironmentFolder()
    if Path(sys.prefix).resolve() != environment.folder.resolve():
        yield Finding(
            NOTE,
            f"g2c runs in {sys.prefix}, not in the course's environment .venv.",
            f"{MAKE_ENVIRONMENT}; source .venv/bin/activate",
        )
    elif problem := environment.problem():
        yield Finding(PROBLEM, f"The environment .venv is out of date or incomplete: {problem}.", MAKE_ENVIRONMENT)


# --- what is tested ---------------------------------------------------------------------------------------------------


def check_answer_key() -> Iterator[Finding]:
    try:
        warning = key_warning()
    except CourseError as error:
        yield Finding(PROBLEM, str(error), f"unset {VARIABLE}")
        return
    if warning:
        yield Finding(PROBLEM, warning, f"unset {VARIABLE}")


def check_edited_files() -> Iterator[Finding]:
    """Edited tests prove nothing, and an edit of another given file can make a distant test fail."""
    command = ["git", "-C", str(REPOSITORY), "diff", "--name-only", "HEAD", "--", "tests", "g2c"]
    try:
        changed = subprocess.run(command, check=True, capture_output=True, encoding="utf-8").stdout.splitlines()
    except (FileNotFoundError, subprocess.CalledProcessError):
        yield Finding(
            NOTE,
            "This is not a git clone, or git is missing, so edited tests cannot be detected.",
            "Install git, and clone the course with it.",
        )
        return
    edited = sorted(set(changed) - {module.exercise_path for module in modules().values()})
    if edited:
        text = "Tests or other given files were edited or are missing, so what the tests say proves nothing."
        yield Finding(PROBLEM, text, f"git restore --source=HEAD {' '.join(edited)}")


def check_files() -> Iterator[Finding]:
    for kind, items in (("corpus", inventory.corpus_items()), ("artifact", inventory.artifact_items())):
        for item in items:
            if item.state == inventory.DAMAGED:
                yield Finding(PROBLEM, f"{kind} {item.name}: {item.detail}", item.remedy)


CHECKS = (
    (check_clone, "the clone in this folder is the one in use"),
    (check_environment, f"environment .venv, with Python {platform.python_version()}"),
    (check_answer_key, "your own code is in use, not the answer key"),
    (check_edited_files, "tests and given files are unchanged"),
    (check_files, "no corpus and no artifact is damaged"),
)
"""Each check yields what is wrong; the text says what is right where that is nothing."""
