"""Copies of the course that a test may change, and the `g2c` command run in them as a student runs it."""

import compileall
import hashlib
import os
import re
import shutil
import subprocess
import sys
import textwrap
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from coach.common.paths import REPOSITORY
from coach.exercises import Exercise, modules
from coach.page.build import list_of
from coach.source import find_function

SMALL_COURSE = Path(__file__).resolve().parents[1] / "small_course"
TODO = 'raise NotImplementedError("TODO: {}")'
QUICKLY = "--disable-plugin-autoload -p pytest_timeout -p no:cacheprovider -p no:unraisableexception".split()
"""Options of pytest: a suite needs one of the plugins. Those that are left out take as long as its tests."""


@dataclass(frozen=True)
class Clone:
    """A copy of the course in another folder."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        """A student's environment, but errors in a diagnosis are raised. Python finds this copy's package."""
        others = ("G2C_", "PYTEST_", "PYTHON", "CI", "BUILD_NUMBER")
        kept = {name: value for name, value in os.environ.items() if not name.startswith(others)}
        return {**kept, "PYTHONPATH": str(self.folder), "COLUMNS": "120", "G2C_DEBUG": "1"}

    @property
    def package(self) -> str:
        """The package that has the course's command when it is run with `python -m`."""
        return "g2c" if self.path("g2c").is_dir() else "coach"

    def g2c(self, *arguments: str, stdin: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        """Run the course's command. Its output is in .stdout and .stderr, its exit code in .returncode."""
        return self.run("-m", self.package, *arguments, stdin=stdin, **variables)

    def python(self, code: str, *arguments: str, **variables: str) -> str:
        """What this Python code prints, with these arguments in sys.argv and these environment variables."""
        done = self.run("-c", code, *arguments, **variables)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def run(self, *arguments: str, stdin: str = "", **variables: str) -> subprocess.CompletedProcess[str]:
        """Run Python with these arguments and environment variables."""
        return subprocess.run(
            [sys.executable, *arguments],
            cwd=self.folder,
            env={**self.environment, **variables},
            input=stdin,
            capture_output=True,
            encoding="utf-8",
            timeout=240,
        )

    def path(self, name: str) -> Path:
        return self.folder / name

    def replace(self, name: str, old: str, new: str) -> None:
        """Put `new` in the place of `old`, which must occur in the file once."""
        text = self.path(name).read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {name}"
        self.path(name).write_text(text.replace(old, new), encoding="utf-8")

    def write(self, name: str, body: str) -> None:
        """Write the body of an exercise of module 04, 91 or 92, in the place of its TODO or what was written before."""
        files = map(self.path, ("g2c/tokenizer/bpe.py", "small/toys/doubling.py", "small/toys/counting.py"))
        [path] = [file for file in files if file.is_file() and f"def {name}(" in file.read_text(encoding="utf-8")]
        text = path.read_text(encoding="utf-8")
        head = rf'^(?P<indent> *)def {name}\(.*?:\n(?:(?P=indent)    """.*?"""\n)?'
        found = re.search(rf"{head}(?P<body>(?:(?:(?P=indent)    [^\n]*)?\n)+)", text, flags=re.DOTALL | re.MULTILINE)
        indented = textwrap.indent(body, f"{found['indent']}    ")
        path.write_text(f"{text[: found.start('body')]}{indented}\n\n{text[found.end() :]}", encoding="utf-8")

    def git_init(self) -> None:
        """Make the copy a git repository with everything in it committed."""
        identity = ["-c", "user.name=Student", "-c", "user.email=student@example.org"]
        for command in (["init", "-q"], ["add", "."], [*identity, "commit", "-q", "-m", "Begin"]):
            subprocess.run(["git", *command], cwd=self.folder, check=True, capture_output=True)


def make_template(folder: Path) -> Path:
    """A copy of the packages and of what pytest needs, compiled. Made once, copies of it start at once."""
    for code in (REPOSITORY / "g2c/engine/__pycache__").glob("numba-*"):
        shutil.copytree(code, folder / code.relative_to(REPOSITORY))
    for name in ("coach", "g2c", "mistakes", "notebooks/checks"):
        shutil.copytree(
            REPOSITORY / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"), dirs_exist_ok=True
        )
    for name in ("pyproject.toml", "constraints.txt", "course.toml", ".gitignore"):
        shutil.copy(REPOSITORY / name, folder / name)
    for package in ("coach", "g2c"):
        compileall.compile_dir(folder / package, quiet=2)
    return folder


def copy_course(template: Path, folder: Path, *, module_ids: Collection[str] | None = None) -> Clone:
    """The course itself, with its exercise files and suites as they are handed out.

    Args:
        template: from `make_template`.
        folder: where to put the copy.
        module_ids: keep only these in the list of exercises; None: all.
    """
    _copy(template, folder, modules() if module_ids is None else module_ids)
    clone = Clone(folder)
    for module in modules().values():
        if module.suite_file.is_file():
            clone.path(module.suite).parent.mkdir(exist_ok=True)
            shutil.copy(module.suite_file, clone.path(module.suite))
    if module_ids is not None:
        keep_modules(clone, module_ids)
    return clone


def copy_small_course(template: Path, folder: Path, module_ids: Collection[str]) -> Clone:
    """coach and a course of one or two small modules: 91 with two functions, 92 with one method. g2c is not there."""
    shutil.copytree(SMALL_COURSE, folder)
    shutil.copytree(template / "coach", folder / "coach")
    shutil.copy(template / "constraints.txt", folder)
    clone = Clone(folder)
    keep_modules(clone, module_ids)
    return clone


def _copy(template: Path, folder: Path, module_ids: Collection[str]) -> None:
    """Copy the template without the wrong solutions of other modules, which are most of its files."""
    bank, others = str(template / "mistakes"), set(modules()) - set(module_ids)
    shutil.copytree(template, folder, ignore=lambda parent, _: others if parent == bank else ())
    share_machine_code(folder)


def share_machine_code(folder: Path) -> None:
    """Let a copy of the course find the machine code of the loops that was copied with it.

    Compiling takes longer than most tests. Numba names the folder after the place of the source file.
    """
    engine = folder / "g2c/engine"
    here = f"engine_{hashlib.sha1(str(engine).encode()).hexdigest()}"
    for elsewhere in [*engine.glob("__pycache__/numba-*/engine_*")]:
        # A copy of a copy may have it twice.
        if not elsewhere.with_name(here).exists():
            elsewhere.rename(elsewhere.with_name(here))


def write_answers(clone: Clone, exercises: Iterable[Exercise]) -> None:
    """Write the answer key's code into the exercise files of a copy, for these exercises, as it is in the key."""
    for exercise in exercises:
        module = modules()[exercise.module_id]
        file = module.exercise_path
        answer = find_function(module.key_file, exercise).code.split("\n", 1)[1]
        indent = "        " if exercise.class_name else "    "
        clone.replace(file, indent + TODO.format(exercise.name), answer)


def keep_modules(clone: Clone, module_ids: Collection[str]) -> None:
    path = clone.path("course.toml")
    path.write_text(list_of(path.read_text(encoding="utf-8"), module_ids), encoding="utf-8")
