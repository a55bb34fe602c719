"""The course's environment, the folder `.venv`: made when it is missing or out of date, and left alone otherwise.

    python -m g2c.course.environment [GROUP ...]      GROUP: an optional group of pyproject.toml

The group `course` is always part of it; other groups are added to those that are there.

Runs before anything is installed, so it needs the standard library alone. The course makes the folder with a stamp in
it, which is empty while the environment is being made or updated, and then records what it was made from and where. A
stamp that is empty or differs from the present state means that the environment has to be made or updated. A `.venv`
without a stamp was made by somebody else, such as uv or an editor. It is used if it has what the course needs, and
never changed or removed.
"""

import hashlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib.util import find_spec
from itertools import product
from pathlib import Path
from typing import Any

from g2c.common.errors import CourseError
from g2c.common.locks import locked
from g2c.common.packages import COMPILED, COURSE
from g2c.common.paths import REPOSITORY, require_checkout

STAMP = "g2c-environment.json"

MAX_SHOWN_PACKAGES = 5
"""How many missing packages a message lists."""

UV_NAMES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "cert": "SSL_CERT_FILE",
}
"""Settings of pip -> the environment variables that set the same for uv."""

LIST_INSTALLED = """
import platform
print(platform.python_version())
from importlib import metadata
print(*(found.metadata["Name"] for found in metadata.distributions()), sep="\\n")
"""


class EnvironmentFolder:
    """The environment of one clone of the course.

    Args:
        repository: the clone; the environment is its folder `.venv`.
        say: called with each message for the user.
    """

    def __init__(self, repository: Path = REPOSITORY, say: Callable[[str], None] = print) -> None:
        self.repository = repository
        self.folder = repository / ".venv"
        self.python = self.folder / "bin" / "python"
        self.log = repository / ".g2c" / "environment.log"
        self.say = say
        self._settings: dict[str, str] = {}

    def ensure(self, groups: Iterable[str] = ()) -> Path:
        """Make the environment or bring it up to date, if necessary. Several processes may call this at once.

        Args:
            groups: optional groups of pyproject.toml to install beside `course`. Groups installed earlier stay.

        Returns:
            the path of the environment's Python.

        Raises:
            CourseError: the environment could not be made, or somebody else's lacks something. The message says why and
                what to do.
        """
        if self.problem(groups) is None:
            return self.python
        lock = self.repository / ".g2c" / "environment.lock"
        with locked(lock, lambda: self.say("Another process is making the environment; waiting for it.")) as handle:
            problem = self.problem(groups)
            if problem is not None:
                wanted = sorted({COURSE, *groups, *self.groups()})
                if self._is_somebody_elses():
                    raise CourseError(self._refusal(problem, wanted))
                self._make(problem, wanted, handle)
        return self.python

    def problem(self, groups: Iterable[str] = ()) -> str | None:
        """What is wrong with the environment, in a few words; None when it can be used as it is."""
        if self._is_empty():
            return "there is none yet"
        version, installed = self._version_and_packages()
        stamp = self._stamp()
        if self._is_somebody_elses():
            if not is_new_enough(version):
                too_old = f"its Python is {version}, and the course needs 3.11 or later"
                return too_old if version else f"it has no Python that runs: {self.python}"
        elif not stamp:
            return "the one here is not complete"
        elif stamp.get("folder") != str(self.folder):
            return "the clone was moved or copied"
        elif stamp.get("python") != version:
            return "its Python is gone or has changed"
        elif stamp.get("requirements") != self._requirements():
            return "what the course needs has changed"
        wanted = ["g2c", *self.packages(sorted({COURSE, *groups, *self.groups()}))]
        missing = [name for name in wanted if normalized(name) not in installed]
        if not missing:
            return None
        more = len(missing) - MAX_SHOWN_PACKAGES
        listed = ", ".join(missing[:MAX_SHOWN_PACKAGES]) + (f" and {more} more" if more > 0 else "")
        return f"it lacks {'the package' if len(missing) == 1 else 'the packages'} {listed}"

    def groups(self) -> set[str]:
        """The groups that the course has installed; empty when there is no complete environment of its own."""
        return set(self._stamp().get("groups", []))

    def packages(self, groups: Iterable[str]) -> list[str]:
        """The names of the packages that g2c itself and these groups list in pyproject.toml.

        A group of another version of the course, which this one does not have, has no packages.
        """
        project = tomllib.loads((self.repository / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        optional = project["optional-dependencies"]
        requirements = [*project["dependencies"], *(line for group in groups for line in optional.get(group, []))]
        return [re.split(r"[^\w.-]", requirement)[0] for requirement in requirements]

    # --- what is there ------------------------------------------------------------------------------------------------

    def _is_empty(self) -> bool:
        return not os.path.lexists(self.folder) or (self.folder.is_dir() and not any(self.folder.iterdir()))

    def _is_somebody_elses(self) -> bool:
        """Whether there is a `.venv` that the course did not make."""
        return not self._is_empty() and not (self.folder / STAMP).is_file()

    def _version_and_packages(self) -> tuple[str, set[str]]:
        """The version of the environment's Python and its packages; "" and none when it does not run."""
        try:
            done = subprocess.run([self.python, "-I", "-c", LIST_INSTALLED], capture_output=True, encoding="utf-8")
        except OSError:
            return "", set()
        version, *installed = done.stdout.splitlines() or [""]
        return version, {normalized(name) for name in installed}

    def _stamp(self) -> dict[str, Any]:
        with suppress(OSError, ValueError):
            stamp = json.loads((self.folder / STAMP).read_bytes())
            if isinstance(stamp, dict):
                return stamp
        return {}

    def _requirements(self) -> str:
        files = (self.repository / name for name in ("pyproject.toml", "constraints.txt"))
        return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()

    def _refusal(self, problem: str, groups: list[str]) -> str:
        """The message that somebody else's environment cannot be used, with what to do."""
        remedy = "Move it away"
        version, installed = self._version_and_packages()
        if is_new_enough(version):
            # uv makes environments without pip.
            tool = ".venv/bin/python -m pip install" if "pip" in installed else "uv pip install --python .venv"
            packages = f"-c constraints.txt -e '.[{','.join(sorted({COMPILED, *groups}))}]'"
            remedy = f"Install what is missing, with: {tool} {packages}. Or move it away"
        return (
            f"The folder .venv was not made by the course, and {problem}. It stays as it is. {remedy}, with: "
            "mv .venv .venv-old. Then run the same command again, and the course makes an environment of its own."
        )

    # --- making it ----------------------------------------------------------------------------------------------------

    def _make(self, problem: str, groups: list[str], lock: int) -> None:
        started = time.monotonic()
        stamp, (version, _) = self._stamp(), self._version_and_packages()
        is_kept = stamp.get("folder") == str(self.folder) and stamp.get("python") == version
        doing = "Updating" if is_kept else "Making"
        self.say(f"{doing} the environment .venv ({problem}). This takes a minute or two.")
        self.log.write_bytes(b"")
        if is_kept:
            (self.folder / STAMP).write_bytes(b"")
        else:
            self._remove()
            self.folder.mkdir(exist_ok=True)
            (self.folder / STAMP).write_bytes(b"")
            self._create(lock)
        self._install(groups, lock)
        version, _ = self._version_and_packages()
        made_from = {"python": version, "requirements": self._requirements(), "groups": groups}
        (self.folder / STAMP).write_text(json.dumps({"folder": str(self.folder), **made_from}), encoding="utf-8")
        self.say(f"The environment is ready after {time.monotonic() - started:.0f} s (Python {version}).")

    def _remove(self) -> None:
        """Remove the course's own environment. It is renamed first, so that no folder without its stamp is left."""
        discarded = self.repository / ".g2c" / "discarded-environment"
        shutil.rmtree(discarded, ignore_errors=True)
        if self.folder.is_symlink():
            self.folder.unlink()
        elif self.folder.exists():
            self.folder.rename(discarded)
            shutil.rmtree(discarded, ignore_errors=True)

    def _create(self, lock: int) -> None:
        if find_spec("venv") is None or find_spec("ensurepip") is None:
            version = f"{sys.version_info.major}.{sys.version_info.minor}"
            raise CourseError(
                f"Python {version} is installed, but without its module venv: on Debian and Ubuntu, install the "
                f"package python{version}-venv, then run this again."
            )
        # Inside a virtual environment sys.executable belongs to it; the new one is made from its base interpreter.
        base_python = getattr(sys, "_base_executable", None) or sys.executable
        self._run([base_python, "-m", "venv", str(self.folder)], lock, "The folder .venv could not be made")

    def _install(self, groups: list[str], lock: int) -> None:
        """Install the packages with uv, which takes seconds, or with pip where uv does not work; compile the engine.

        numba does not exist for every new Python and every system. Without it, the engine runs as ordinary Python.
        """
        self._settings = self._settings_of_pip()
        failure = "The packages could not be installed"
        pip = [str(self.python), "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
        tools = [pip]
        with suppress(CourseError):
            self._run([*pip, "-c", "constraints.txt", "uv"], lock, failure)
            tools.insert(0, [str(self.folder / "bin" / "uv"), "pip", "install", "--python", str(self.python)])
        for tool, chosen in product(tools, [sorted({COMPILED, *groups}), groups]):
            try:
                self._run([*tool, "-c", "constraints.txt", "-e", f".[{','.join(chosen)}]"], lock, failure)
                break
            except CourseError as error:
                problem = error
        else:
            raise problem
        if COMPILED not in chosen:
            self.say(
                "numba cannot be installed on this computer: encoding and training with the engine give the same "
                f"results, but take much longer. The reason is in {self.log}."
            )
        with suppress(CourseError):
            # Loops that are not compiled now are compiled when they are used.
            self._run([str(self.python), "-m", "g2c.engine"], lock, "The engine could not be compiled")

    def _run(self, command: list[str], lock: int, failure: str) -> None:
        """Run a program, with what it prints in the log. When this process is interrupted, it is killed.

        The program inherits the lock: if only this process is killed, the lock is held for as long as the program runs.

        Raises:
            CourseError: the program failed.
        """
        variables = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
        with self.log.open("ab") as log:
            process = subprocess.Popen(
                command,
                cwd=self.repository,
                env={**variables, **self._settings, "PIP_USER": "0"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=[lock],
                process_group=0,
            )
            try:
                process.wait()
            except BaseException:
                # With the processes that it has started.
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                raise
        if process.returncode != 0:
            lines = [line.strip() for line in self.log.read_text(encoding="utf-8", errors="replace").splitlines()]
            errors = [line for line in lines if line.startswith("ERROR:")]
            quoted = "\n".join(f"    {line[:200]}" for line in errors[:4] or lines[-4:])
            raise CourseError(
                f"{failure}. From {self.log}:\n{quoted}\n"
                "Check that this computer is online and that the disk has room, then run the same command again."
            )

    def _settings_of_pip(self) -> dict[str, str]:
        """Environment variables with which uv uses the indexes and certificates that pip is set up with.

        pip lists what its environment variables and its configuration files say. A variable of uv has priority.
        """
        command = [str(self.python), "-m", "pip", "config", "list"]
        listed = subprocess.run(command, capture_output=True, encoding="utf-8").stdout
        # As pip does, uv shall look for a version in every index.
        settings = {"UV_INDEX_STRATEGY": "unsafe-best-match"}
        # Such as global.index-url='https://...'; those of variables come first.
        for option, value in re.findall(r"^[^.\n]+\.([\w-]+)='(.*)'$", listed, re.MULTILINE):
            if option in UV_NAMES:
                settings.setdefault(UV_NAMES[option], value)
        return {name: value for name, value in settings.items() if name not in os.environ}


def is_new_enough(version: str) -> bool:
    """Whether the course works with a version of Python, such as "3.12.1"; "" stands for none."""
    return [int(number) for number in re.findall(r"\d+", version)[:2]] >= [3, 11]


def normalized(name: str) -> str:
    """The name of a package as https://packaging.python.org/en/latest/specifications/name-normalization/ writes it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def main(groups: list[str]) -> int:
    """Make the environment of this checkout with these groups. Returns the exit code."""
    # A script that is terminated also stops what it has started.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
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
