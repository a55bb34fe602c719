"""The course's environment, the folder `.venv`: made when it is missing or out of date, and left alone otherwise.

    python -m g2c.course.environment [GROUP ...]      GROUP: an optional group of pyproject.toml

The group `course` is always part of it; other groups are added to those that are there.

Runs before anything is installed, so it needs the standard library alone. The course makes the folder with a stamp in
it, which is empty while the environment is being made or updated, and then records what it was made from and where. A
stamp that is empty or differs from the present state means that the environment has to be made or updated. A `.venv`
without a stamp was made by other software, such as an editor. It is neither used nor changed.
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

UV_NAMES = {
    "index-url": "UV_DEFAULT_INDEX",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "cert": "SSL_CERT_FILE",
}
"""Settings of pip -> the environment variables that set the same for uv."""


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
        self._lock = -1

    def ensure(self, groups: Iterable[str] = ()) -> Path:
        """Make the environment or bring it up to date, if necessary. Several processes may call this at once.

        Args:
            groups: optional groups of pyproject.toml to install beside `course`. Groups installed earlier stay.

        Returns:
            the path of the environment's Python.

        Raises:
            CourseError: the environment could not be made, or the course did not make the folder. The message
                says why and what to do.
        """
        if self.problem(groups) is None:
            return self.python
        lock = self.repository / ".g2c" / "environment.lock"
        with locked(lock, lambda: self.say("Another process is creating .venv; waiting for it.")) as self._lock:
            problem = self.problem(groups)
            if problem is not None:
                self._make(problem, sorted({COURSE, *groups, *self._stamp().get("groups", [])}))
        return self.python

    def problem(self, groups: Iterable[str] = ()) -> str | None:
        """What is wrong with the environment, in a few words; None when it can be used as it is."""
        if not self._is_there():
            return "there is none yet"
        if not (self.folder / STAMP).is_file():
            return "the course did not create it"
        stamp = self._stamp()
        if not stamp:
            return "it is incomplete"
        if stamp["folder"] != str(self.folder):
            return "the clone was moved or copied"
        if stamp["python"] != self._version():
            return "its Python is gone or has changed"
        if stamp["requirements"] != self._requirements():
            return "what the course needs has changed"
        missing = sorted({COURSE, *groups} - set(stamp["groups"]))
        return f"it lacks the packages for {', '.join(missing)}" if missing else None

    # --- what is there ------------------------------------------------------------------------------------------------

    def _is_there(self) -> bool:
        """Whether there is anything under the name .venv, apart from an empty folder."""
        return os.path.lexists(self.folder) and not (self.folder.is_dir() and not os.listdir(self.folder))

    def _version(self) -> str:
        """The version of the environment's Python, such as "3.12.1"; "" when it does not run."""
        try:
            shown = subprocess.run([self.python, "-V"], capture_output=True, encoding="utf-8").stdout
            return shown.strip().removeprefix("Python ")
        except OSError:
            return ""

    def _stamp(self) -> dict[str, Any]:
        """What the environment was made from; empty when it is not complete."""
        with suppress(OSError, ValueError):
            stamp = json.loads((self.folder / STAMP).read_bytes())
            if isinstance(stamp, dict) and stamp.keys() >= {"folder", "python", "requirements", "groups"}:
                return stamp
        return {}

    def _requirements(self) -> str:
        files = (self.repository / name for name in ("pyproject.toml", "constraints.txt"))
        return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()

    # --- making it ----------------------------------------------------------------------------------------------------

    def _make(self, problem: str, groups: list[str]) -> None:
        if self._is_there() and not (self.folder / STAMP).is_file():
            raise CourseError(
                "The course did not create the folder .venv, so it neither uses nor changes it. Move it away, with: "
                "mv .venv .venv-old. Then run the same command again to create a new environment."
            )
        started = time.monotonic()
        stamp = self._stamp()
        is_kept = bool(stamp) and stamp["folder"] == str(self.folder) and stamp["python"] == self._version()
        doing = "Updating" if is_kept else "Creating"
        self.say(f"{doing} the environment .venv ({problem}). This takes a minute or two.")
        self.log.write_bytes(b"")
        if is_kept:
            (self.folder / STAMP).write_bytes(b"")
        else:
            self._begin()
            self._create()
        self._install(groups)
        version = self._version()
        made_from = {"python": version, "requirements": self._requirements(), "groups": groups}
        (self.folder / STAMP).write_text(json.dumps({"folder": str(self.folder), **made_from}), encoding="utf-8")
        self.say(f"The environment is ready after {time.monotonic() - started:.0f} s (Python {version}).")

    def _begin(self) -> None:
        """Put a folder with an empty stamp in the place of the course's own environment, which keeps its stamp."""
        discarded = self.repository / ".g2c" / "discarded-environment"
        shutil.rmtree(discarded, ignore_errors=True)
        with suppress(FileNotFoundError):
            self.folder.rename(discarded)
        self.folder.mkdir()
        (self.folder / STAMP).write_bytes(b"")
        shutil.rmtree(discarded, ignore_errors=True)

    def _create(self) -> None:
        if find_spec("venv") is None or find_spec("ensurepip") is None:
            version = f"{sys.version_info.major}.{sys.version_info.minor}"
            raise CourseError(
                f"Python {version} is installed, but without its module venv: on Debian and Ubuntu, install the "
                f"package python{version}-venv, then run this again."
            )
        # Inside a virtual environment sys.executable belongs to it; the new one is made from its base interpreter.
        base_python = getattr(sys, "_base_executable", None) or sys.executable
        self._run([base_python, "-m", "venv", str(self.folder)], "The folder .venv could not be created")

    def _install(self, groups: list[str]) -> None:
        """Install the packages with uv, which takes seconds, or with pip where uv does not work; compile the engine.

        numba does not exist for every new Python and every system. Without it, the engine runs as ordinary Python.
        """
        self._settings = self._settings_of_pip()
        failure = "The packages could not be installed"
        pip = [str(self.python), "-m", "pip", "--disable-pip-version-check", "--no-input", "install"]
        tools = [pip]
        with suppress(CourseError):
            self._run([*pip, "-c", "constraints.txt", "uv"], failure)
            tools.insert(0, [str(self.folder / "bin" / "uv"), "pip", "install", "--python", str(self.python)])
        for tool, chosen in product(tools, [sorted({COMPILED, *groups}), groups]):
            try:
                self._run([*tool, "-c", "constraints.txt", "-e", f".[{','.join(chosen)}]"], failure)
                break
            except CourseError as error:
                problem = error
        else:
            raise problem
        if COMPILED not in chosen:
            self.say(
                "numba could not be installed. Without it the engine gives the same results, but encoding and training "
                f"take much longer. The reason is in {self.log}."
            )
        # A student cannot act on the warnings of a notebook's kernel, such as that it listens on this machine only.
        settings = self.folder / "etc" / "ipython" / "ipython_kernel_config.json"
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text('{"IPKernelApp": {"log_level": 40}}', encoding="utf-8")
        with suppress(CourseError):
            # Loops that are not compiled now are compiled when they are used.
            self._run([str(self.python), "-m", "g2c.engine"], "The engine could not be compiled")

    def _run(self, command: list[str], failure: str) -> None:
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
                pass_fds=[self._lock],
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
                "Check that this computer is online and that the disk is not full, then run the same command again."
            )

    def _settings_of_pip(self) -> dict[str, str]:
        """Environment variables with which uv uses the indexes and certificates that pip is set up with.

        pip lists what its environment variables and its configuration files say. A variable of uv has priority.
        """
        command = [str(self.python), "-m", "pip", "config", "list"]
        listed = subprocess.run(command, capture_output=True, encoding="utf-8").stdout
        # As pip does, uv looks for a version in every index.
        settings = {"UV_INDEX_STRATEGY": "unsafe-best-match"}
        # Such as global.index-url='https://...'; those of variables come first.
        for option, value in re.findall(r"^[^.\n]+\.([\w-]+)='(.*)'$", listed, re.MULTILINE):
            if option in UV_NAMES:
                settings.setdefault(UV_NAMES[option], value)
        return {name: value for name, value in settings.items() if name not in os.environ}


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
        print(f"The environment could not be created: {error.filename}: {error.strerror}.", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("Stopped. The next run starts over.", file=sys.stderr)
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
