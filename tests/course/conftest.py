"""What several test files of the course share: code run in a terminal, and copies of the course that a test may change."""

import os
import pty
import shutil
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from g2c.course.exercises import modules
from g2c.course.source import find_function
from g2c.paths import REPOSITORY

SMALL_COURSE = Path(__file__).with_name("small_course")

collect_ignore = ["small_course"]


@pytest.fixture
def run_in_terminal() -> Callable[..., str]:
    """A function that runs Python code with its output and errors in a terminal, and returns what the terminal showed.

    Keyword arguments are environment variables.
    """
    return _run_in_terminal


def _run_in_terminal(code: str, **variables: str) -> str:
    leader, follower = pty.openpty()
    environment = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR")}
    environment |= {"COLUMNS": "110", "TERM": "xterm-256color", **variables}
    with subprocess.Popen([sys.executable, "-c", code], stdout=follower, stderr=follower, env=environment) as process:
        os.close(follower)
        shown = b""
        while block := _read(leader):
            shown += block
    os.close(leader)
    text = shown.decode("utf-8").replace("\r\n", "\n")
    assert process.returncode == 0, text
    return text


def _read(leader: int) -> bytes:
    try:
        return os.read(leader, 65536)
    except OSError:  # Linux says so when the program has ended; macOS returns nothing.
        return b""


# --- copies of the course ---------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Clone:
    """A copy of the course in a folder of its own."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """The environment of a student: none of the course's variables, and Python finds this copy's package."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("G2C_", "PYTEST_"))}
        return {**kept, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "120"}

    def g2c(self, *arguments: str, stdin: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        """Run `g2c` with these arguments. Its output is in .stdout and .stderr, its exit code in .returncode."""
        return subprocess.run(
            [sys.executable, "-m", "g2c", *arguments],
            cwd=self.folder,
            env={**self.environment, **variables},
            input=stdin,
            capture_output=True,
            text=True,
            timeout=60,
        )

    def path(self, name: str) -> Path:
        return self.folder / name

    def replace(self, name: str, old: str, new: str) -> None:
        """Put `new` in the place of `old`, which must stand in the file once."""
        text = self.path(name).read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {name}"
        self.path(name).write_text(text.replace(old, new), encoding="utf-8")

    def git_init(self) -> None:
        """Make the copy a git repository with everything in it committed."""
        identity = ["-c", "user.name=Student", "-c", "user.email=student@example.org"]
        for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-q", "-m", "Begin"]):
            subprocess.run(["git", *command], cwd=self.folder, check=True, capture_output=True)


@pytest.fixture
def small_course(tmp_path) -> Clone:
    """A course of two small modules, whose suites run in a moment: 91 with two functions, 92 with one method."""
    clone = _copy(tmp_path / "small")
    for file in clone.folder.glob("g2c/tokenizer/bpe.py"), clone.folder.glob("g2c/solutions/bpe.py"):
        for path in file:
            path.unlink()
    shutil.copytree(SMALL_COURSE, clone.folder, dirs_exist_ok=True)
    return clone


@pytest.fixture
def clone(tmp_path) -> Clone:
    """The course itself, with its exercise files as they are handed out."""
    clone = _copy(tmp_path / "clone")
    for module in modules().values():
        (clone.folder / module.suite).parent.mkdir(exist_ok=True)
        shutil.copy(module.suite_file, clone.folder / module.suite)
    return clone


def write_answers(clone: Clone, exercises) -> None:
    """Write the answer key's code into the exercise files of a copy, for these exercises."""
    for exercise in exercises:
        module = modules()[exercise.module_id]
        answer = find_function(module.key_file, exercise).code.split("\n", 1)[1]
        todo = f'        raise NotImplementedError("TODO: {exercise.name}")'
        file = f"g2c/tokenizer/{module.file}.py"
        clone.replace(file, todo, answer)
    clone.replace(file, "import BPEBase\n", "import BOUNDARY, BPEBase\n")


def _copy(folder: Path) -> Clone:
    shutil.copytree(REPOSITORY / "g2c", folder / "g2c", ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("pyproject.toml", "constraints.txt"):
        shutil.copy(REPOSITORY / name, folder / name)
    return Clone(folder)
