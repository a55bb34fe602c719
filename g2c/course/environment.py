"""The course's environment, the folder `.venv`: made when it is missing or out of date, and left alone otherwise.

    python -m g2c.course.environment [GROUP ...]      GROUP: an optional group of pyproject.toml

The group `course` is always part of it; other groups are added to those that are there.

Runs before anything is installed, so it needs the standard library alone. A stamp in `.venv`, written last, records
what the environment was made from and where. While the environment is made or updated, a mark says so. A mark without a
stamp means that this was interrupted; a stamp that differs from the present state means that the environment is out of
date. A `.venv` with neither was made by somebody else, such as uv or an editor. It is used if it has what the course
needs, and never removed.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from g2c.common.errors import CourseError
from g2c.common.locks import locked
from g2c.common.packages import COMPILED, COURSE
from g2c.common.paths import REPOSITORY, require_checkout

STAMP = "g2c-environment.json"
UNFINISHED = "g2c-environment.unfinished"
"""The mark: in `.g2c` while the folder is created, in `.venv` from then until the stamp is written."""

SHOWN_PACKAGES = 5
"""How many missing packages a message lists."""

UV_NAMES = {
    "PIP_INDEX_URL": "UV_DEFAULT_INDEX",
    "PIP_EXTRA_INDEX_URL": "UV_INDEX",
    "PIP_FIND_LINKS": "UV_FIND_LINKS",
    "PIP_CERT": "SSL_CERT_FILE",
}
"""Settings of pip -> the same settings of uv, as environment variables."""


class EnvironmentFolder:
    """The environment of one clone of the course.

    Args:
        repository: the clone; the environment is its folder `.venv`.
        say: called with each message for the user.
        ask: asks the user a yes-or-no question and returns the answer; False where nobody can answer.
    """

    def __init__(
        self,
        repository: Path = REPOSITORY,
        say: Callable[[str], None] = print,
        ask: Callable[[str], bool] | None = None,
    ) -> None:
        self.repository = repository
        self.folder = repository / ".venv"
        self.python = self.folder / "bin" / "python"
        self.log = repository / ".g2c" / "environment.log"
        self.say = say
        self.ask = ask or ask_in_terminal

    def ensure(self, groups: Iterable[str] = ()) -> Path:
        """Make the environment or bring it up to date, if necessary. Several processes may call this at once.

        Somebody else's environment is used as it is, or completed if the user agrees.

        Args:
            groups: optional groups of pyproject.toml to install beside `course`. Groups installed earlier stay.

        Returns:
            the path of the environment's Python.

        Raises:
            CourseError: the environment could not be made. The message says why and what to do.
        """
        if self.problem(groups) is None:
            return self.python
        lock = self.repository / ".g2c" / "environment.lock"
        with locked(lock, lambda: self.say("Another process is making the environment; waiting for it.")) as handle:
            problem = self.problem(groups)
            if problem is not None:
                wanted = sorted({COURSE, *groups, *self.groups()})
                if self._is_somebody_elses():
                    self._complete(problem, wanted, handle)
                else:
                    self._make(problem, wanted, handle)
        return self.python

    def problem(self, groups: Iterable[str] = ()) -> str | None:
        """What is wrong with the environment, in a few words; None when it can be used as it is."""
        if self._is_somebody_elses():
            return self._problem_of_somebody_elses({COURSE, *groups})
        if not self.folder.exists():
            return "there is none yet"
        stamp = self._stamp()
        if not stamp:
            return "the one here is not complete"
        if stamp.get("folder") != str(self.folder):
            return "the clone was moved or copied"
        if stamp.get("python") != self._python_version():
            return "its Python is gone or has changed"
        if stamp.get("requirements") != self._requirements():
            return "what the course needs has changed"
        missing = sorted({COURSE, *groups} - self.groups())
        if missing:
            return f"it lacks the packages of {' and '.join(missing)}"
        removed = sorted(self._removed())
        if removed:
            return f"its package {removed[0]} is missing"
        return None

    def groups(self) -> set[str]:
        """The groups that are installed; empty when there is no complete environment."""
        return set(self._stamp().get("groups", []))

    def packages(self, groups: Iterable[str]) -> list[str]:
        """The names of the packages that g2c itself and these groups list in pyproject.toml.

        A group of another version of the course, which this one does not have, has no packages.
        """
        project = tomllib.loads((self.repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        optional = project["optional-dependencies"]
        requirements = [*project["dependencies"], *(line for group in groups for line in optional.get(group, []))]
        return [re.split(r"[^\w.-]", requirement)[0] for requirement in requirements]

    # --- somebody else's ----------------------------------------------------------------------------------------------

    def _is_somebody_elses(self) -> bool:
        """Whether there is a `.venv` that the course did not make."""
        marks = (self.folder / STAMP, self.folder / UNFINISHED, self._creating)
        is_empty_folder = self.folder.is_dir() and not any(self.folder.iterdir())
        return os.path.lexists(self.folder) and not is_empty_folder and not any(map(os.path.lexists, marks))

    def _problem_of_somebody_elses(self, groups: Iterable[str]) -> str | None:
        """What keeps somebody else's environment from being used; None when it has everything."""
        version = self._python_version()
        if version is None:
            return f"it has no Python that runs: {self.python}"
        if tuple(map(int, re.findall(r"\d+", version)[:2])) < (3, 11):
            return f"its Python is {version}, and the course needs 3.11 or later"
        missing = self._missing_packages(groups)
        if not missing:
            return None
        more = len(missing) - SHOWN_PACKAGES
        listed = ", ".join(missing[:SHOWN_PACKAGES]) + (f" and {more} more" if more > 0 else "")
        return f"it lacks {'the package' if len(missing) == 1 else 'the packages'} {listed}"

    def _missing_packages(self, groups: Iterable[str]) -> list[str]:
        """The packages of these groups that somebody else's environment lacks, and g2c itself if it lacks that."""
        code = "from importlib import metadata; print(*(found.name for found in metadata.distributions()), sep='\\n')"
        listed = subprocess.run([str(self.python), "-I", "-c", code], capture_output=True, text=True).stdout
        installed = {normalized(name) for name in listed.splitlines()}
        return [name for name in ("g2c", *self.packages(groups)) if normalized(name) not in installed]

    def _complete(self, problem: str, groups: list[str], lock: int) -> None:
        """Install what somebody else's environment lacks, if the user agrees."""
        sentence = f"The folder .venv was not made by the course, and {problem}."
        has_python = self._python_version() is not None and bool(self._missing_packages(groups))
        if has_python and self.ask(f"{sentence} Install what is missing into it? [y/N] "):
            self.log.parent.mkdir(exist_ok=True)
            self.log.write_bytes(b"")
            self._install(groups, lock)
            if (left := self.problem(groups)) is None:
                return
            sentence = f"The folder .venv was not made by the course, and still {left}."
        remedy = ""
        if has_python:
            tool = "uv pip install" if shutil.which("uv") else ".venv/bin/python -m pip install"
            remedy = f"Install what is missing, with: {tool} -c constraints.txt -e '.[{','.join(groups)}]'. Or move it "
        raise CourseError(
            f"{sentence} It stays as it is. {remedy or 'Move it '}away, with: mv .venv .venv-old. Then run the same "
            "command again, and the course makes an environment of its own."
        )

    # --- the course's own ---------------------------------------------------------------------------------------------

    @property
    def _creating(self) -> Path:
        return self.repository / ".g2c" / UNFINISHED

    def _make(self, problem: str, groups: list[str], lock: int) -> None:
        started = time.monotonic()
        kept = self._can_be_kept()
        doing = "Updating" if kept else "Making"
        self.say(f"{doing} the environment .venv ({problem}). This takes a minute or two.")
        self.log.parent.mkdir(exist_ok=True)
        self.log.write_bytes(b"")
        if kept:
            (self.folder / UNFINISHED).touch()
            (self.folder / STAMP).unlink()
        else:
            self._creating.touch()
            self._remove()
            self._create(lock)
            (self.folder / UNFINISHED).touch()
            self._creating.unlink()
        self._install(groups, lock)
        self._write_stamp(groups)
        (self.folder / UNFINISHED).unlink()
        seconds = time.monotonic() - started
        self.say(f"The environment is ready after {seconds:.0f} s (Python {self._python_version()}).")

    def _can_be_kept(self) -> bool:
        """Whether pip can update it in place: it was and is complete, has not been moved, and its Python still runs."""
        stamp = self._stamp()
        runs = stamp.get("python") == self._python_version() is not None
        # pip does not notice that the files of a package were deleted.
        return stamp.get("folder") == str(self.folder) and runs and not self._removed()

    def _modules(self) -> set[str]:
        """The names of the modules and packages that are installed, as Python imports them."""
        names = {path.name for path in self.folder.glob("lib/python*/site-packages/*")}
        hidden = ("_", ".")
        return {name.split(".")[0] for name in names if not name.startswith(hidden) and not name.endswith("-info")}

    def _removed(self) -> set[str]:
        """The modules and packages that were installed and are not there any more."""
        installed = self._stamp().get("modules")
        return {name for name in installed if isinstance(name, str)} - self._modules() if installed else set()

    def _remove(self) -> None:
        if self.folder.is_symlink() or self.folder.is_file():
            self.folder.unlink()
        elif self.folder.exists():
            shutil.rmtree(self.folder)

    def _create(self, lock: int) -> None:
        # Inside a virtual environment sys.executable belongs to it; the new one is made from its base interpreter.
        base_python = getattr(sys, "_base_executable", None) or sys.executable
        failure = "The folder .venv could not be made"
        if uv := shutil.which("uv"):
            with suppress(CourseError):
                self._run([uv, "venv", "--seed", "--python", base_python, str(self.folder)], lock, failure)
                return
            self._remove()
        self._run([base_python, "-m", "venv", str(self.folder)], lock, failure)

    def _install(self, groups: list[str], lock: int) -> None:
        """Install the packages, and compile the engine's loops. Without numba they run as ordinary Python."""
        try:
            self._install_groups(sorted({COMPILED, *groups}), lock)
        except CourseError:
            # numba does not exist for every new Python and every system.
            self._install_groups(groups, lock)
            self.say(
                "numba cannot be installed on this computer: encoding and training with the engine give the same "
                f"results, but take much longer. The reason is in {self.log}."
            )
            return
        with suppress(CourseError, OSError):
            # Loops that are not compiled now are compiled when they are used.
            self._run([str(self.python), "-m", "g2c.engine"], lock, "The engine could not be compiled")

    def _install_groups(self, groups: list[str], lock: int) -> None:
        """Install the packages with uv, which takes seconds, or with pip where uv cannot be used.

        A uv that is installed on this computer is used; otherwise one is installed into the environment first.
        """
        failure = "The packages could not be installed"
        pip = [str(self.python), "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
        packages = ["-c", "constraints.txt", "-e", f".[{','.join(groups)}]"]
        try:
            uv = shutil.which("uv")
            if uv is None:
                self._run([*pip, "-c", "constraints.txt", "uv"], lock, failure)
                uv = str(self.folder / "bin" / "uv")
            self._run([uv, "pip", "install", "--python", str(self.python), *packages], lock, failure)
        except CourseError:
            # pip knows every index and certificate that this machine may be set up with; uv knows those of `UV_NAMES`.
            self._run([*pip, *packages], lock, failure)

    def _run(self, command: list[str], lock: int, failure: str) -> None:
        # The child inherits the lock: if only this process is killed, the lock is held for as long as the child writes.
        environment = {key: value for key, value in os.environ.items() if key not in ("PYTHONPATH", "PYTHONHOME")}
        environment["PIP_USER"] = "0"
        for pip_name, uv_name in UV_NAMES.items():
            if pip_name in environment:
                environment.setdefault(uv_name, environment[pip_name])
        with self.log.open("ab") as log:
            done = subprocess.run(
                command,
                cwd=self.repository,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=[lock],
            )
        if done.returncode != 0:
            lines = [line.strip() for line in self.log.read_text(encoding="utf-8", errors="replace").splitlines()]
            errors = [line for line in lines if line.startswith("ERROR:")]
            quoted = "\n".join(f"    {line[:200]}" for line in errors[:4] or lines[-4:])
            raise CourseError(
                f"{failure}. From {self.log}:\n{quoted}\n"
                "Check that this computer is online and that the disk has room, then run the same command again."
            )

    def _stamp(self) -> dict[str, Any]:
        with suppress(OSError, ValueError):
            stamp = json.loads((self.folder / STAMP).read_bytes())
            if isinstance(stamp, dict):
                return stamp
        return {}

    def _write_stamp(self, groups: list[str]) -> None:
        stamp = {
            "folder": str(self.folder),
            "python": self._python_version(),
            "requirements": self._requirements(),
            "groups": groups,
            "modules": sorted(self._modules()),
        }
        temporary = self.folder / f"{STAMP}.new"
        temporary.write_text(json.dumps(stamp, indent=2) + "\n", encoding="utf-8")
        temporary.replace(self.folder / STAMP)

    def _requirements(self) -> str:
        files = (self.repository / name for name in ("pyproject.toml", "constraints.txt"))
        return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()

    def _python_version(self) -> str | None:
        """The version of the environment's own Python; None when it does not run."""
        command = [str(self.python), "-I", "-c", "import platform; print(platform.python_version())"]
        try:
            return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()
        except (OSError, subprocess.CalledProcessError):
            return None


def ask_in_terminal(question: str) -> bool:
    """Ask a yes-or-no question. False without asking when standard input is not a terminal."""
    if not sys.stdin.isatty():
        return False
    try:
        return input(question).strip().lower() in ("y", "yes")
    except EOFError:
        print()
        return False


def normalized(name: str) -> str:
    """The name of a package as https://packaging.python.org/en/latest/specifications/name-normalization/ writes it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def main(groups: list[str]) -> int:
    """Make the environment of this checkout with these groups. Returns the exit code."""
    try:
        require_checkout("The environment of the course")
        EnvironmentFolder(say=lambda text: print(text, flush=True)).ensure(groups)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:
        print(f"The environment could not be made: {error.filename}: {error.strerror}.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped. The next run makes the environment again.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
