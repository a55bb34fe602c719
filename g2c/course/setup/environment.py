"""The course's environment, the folder `.venv`: made when it is missing or out of date, and left alone otherwise.

    python -m g2c.course.setup [GROUP ...]      GROUP: an optional group of pyproject.toml

The group `course` is always part of it; other groups are added to those that are there.

Runs before anything is installed, so it needs the standard library alone. A stamp in the folder records what the
environment was made from; it is empty while the environment is being made. An environment is used when its stamp agrees
with the present state. A `.venv` without a stamp was made by other software, such as an editor. It is neither used nor
changed.
"""

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from g2c.common.errors import CourseError
from g2c.common.files import locked, write_file
from g2c.common.packages import COURSE
from g2c.common.paths import REPOSITORY, require_checkout
from g2c.course.plain import print_line, reports_errors

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

    def __init__(self, repository: Path = REPOSITORY, say: Callable[[str], None] = print_line) -> None:
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
        if self.problem(groups):
            lock = self.repository / ".g2c" / "environment"
            with locked(lock, lambda: self.say("Another process is creating .venv; waiting for it.")) as self._lock:
                if problem := self.problem(groups):
                    self._make(problem, groups)
        return self.python

    def problem(self, groups: Iterable[str] = ()) -> str | None:
        """What is wrong with the environment, in a few words; None when it can be used as it is."""
        stamp = self._stamp()
        if stamp is None:
            return "the course did not create it" if os.path.lexists(self.folder) else "there is none yet"
        if not stamp:
            return "it is incomplete"
        if any(stamp.get(name) != now for name, now in self._present().items()):
            return "the clone's folder, its Python, or what the course needs has changed"
        missing = sorted({COURSE, *groups} - set(stamp["groups"]))
        return f"it lacks the packages for {', '.join(missing)}" if missing else None

    # --- what is there ------------------------------------------------------------------------------------------------

    def _stamp(self) -> dict[str, Any] | None:
        """What the environment was made from: {} when it is incomplete, None when the course did not make it."""
        try:
            text = (self.folder / STAMP).read_text(encoding="utf-8")
        except OSError:
            return None
        stamp: dict[str, Any] = json.loads(text or "{}")
        return stamp

    def _present(self) -> dict[str, str]:
        """What a stamp would record now."""
        version = ""
        with suppress(OSError):
            version = subprocess.run([self.python, "-V"], capture_output=True, encoding="utf-8").stdout
        files = (self.repository / name for name in ("pyproject.toml", "constraints.txt"))
        requirements = hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
        python = version.strip().removeprefix("Python ")
        return {"folder": str(self.folder), "python": python, "requirements": requirements}

    # --- making it ----------------------------------------------------------------------------------------------------

    def _make(self, problem: str, groups: Iterable[str]) -> None:
        stamp, present = self._stamp(), self._present()
        is_update = stamp is not None and all(stamp.get(name) == present[name] for name in ("folder", "python"))
        # A link may lead to the environment of another clone.
        if os.path.lexists(self.folder) and (stamp is None or (self.folder.is_symlink() and not is_update)):
            raise CourseError(
                "The course did not create the folder .venv, so it neither uses nor changes it. Move it away, with: "
                "mv .venv .venv-old. Then run the same command again to create a new environment."
            )
        started = time.monotonic()
        stamp = stamp or {"groups": ()}
        doing = "Updating" if is_update else "Creating"
        self.say(f"{doing} the environment .venv ({problem}). This takes a minute or two.")
        self.log.write_bytes(b"")
        self.folder.mkdir(exist_ok=True)
        # The stamp stays when everything else is removed: an interruption leaves a folder that the course has made.
        (self.folder / STAMP).write_bytes(b"")
        if not is_update:
            for path in self.folder.iterdir():
                if path.is_dir() and not path.is_symlink():
                    shutil.rmtree(path)
                elif path.name != STAMP:
                    path.unlink()
            self._create()
        chosen = sorted({COURSE, *groups, *stamp["groups"]})
        self._install(chosen)
        made_from = {**self._present(), "groups": chosen}
        write_file(self.folder / STAMP, [json.dumps(made_from).encode()])
        seconds = time.monotonic() - started
        self.say(f"The environment is ready after {seconds:.0f} s (Python {made_from['python']}).")

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
        self._settings = self._settings_for_uv()
        install = ["install", "-c", "constraints.txt"]
        pip = [str(self.python), "-m", "pip", "--disable-pip-version-check", "--no-input", *install]
        uv = [str(self.folder / "bin" / "uv"), "pip", *install, "--python", str(self.python)]
        course = ["-e", f".[{','.join(groups)}]"]
        uv_works = self._succeeds([*pip, "uv"]) and self._succeeds([*uv, *course])
        if not uv_works:
            self._run([*pip, *course], "The packages could not be installed")
        if not self._succeeds([*(uv if uv_works else pip), "numba"]):
            self.say(
                "numba could not be installed. Without it the engine gives the same results, but encoding and training "
                f"take much longer. The reason is in {self.log}."
            )
        # A student cannot act on the warnings of a notebook's kernel, such as that it listens on this machine only.
        settings = self.folder / "etc" / "ipython" / "ipython_kernel_config.json"
        settings.parent.mkdir(parents=True, exist_ok=True)
        settings.write_text('{"IPKernelApp": {"log_level": 40}}', encoding="utf-8")
        # Loops that are not compiled now are compiled when they are used.
        self._succeeds([str(self.python), "-m", "g2c.engine"])

    def _succeeds(self, command: list[str]) -> bool:
        try:
            self._run(command, "")
        except CourseError:
            return False
        return True

    def _run(self, command: list[str], failure: str) -> None:
        """Run a program, with what it prints in the log. When this process is interrupted, the program is killed.

        The program inherits the lock: if only this process is killed, the lock is held for as long as the program runs.

        Raises:
            CourseError: the program failed.
        """
        variables = {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "PYTHONHOME")}
        with self.log.open("ab") as log:
            done = subprocess.run(
                command,
                cwd=self.repository,
                env={**variables, **self._settings, "PIP_USER": "0"},
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                pass_fds=[self._lock],
            )
        if done.returncode != 0:
            lines = self.log.read_text(encoding="utf-8", errors="replace").splitlines()
            quoted = "\n".join(f"    {line.strip()[:200]}" for line in lines[-4:])
            raise CourseError(
                f"{failure}. From {self.log}:\n{quoted}\n"
                "Check that this computer is online and that the disk is not full, then run the same command again."
            )

    def _settings_for_uv(self) -> dict[str, str]:
        """Environment variables with which uv uses the indexes and certificates that pip is set up with.

        pip lists what its environment variables and its configuration files say. A variable of uv has priority.
        """
        command = [str(self.python), "-m", "pip", "config", "list"]
        listed = subprocess.run(command, capture_output=True, encoding="utf-8").stdout
        # As pip does, uv looks for a version in every index.
        settings = {"UV_INDEX_STRATEGY": "unsafe-best-match"}
        # Such as global.index-url='https://...', or :env: for a variable, which has priority. Of several files that set
        # an option, the last one counts.
        lines = re.findall(r"^([^.\n]+)\.([\w-]+)='(.*)'$", listed, re.MULTILINE)
        for _, option, value in sorted(lines, key=lambda line: line[0] == ":env:"):
            if option in UV_NAMES:
                settings[UV_NAMES[option]] = value
        return {name: value for name, value in settings.items() if name not in os.environ}


@reports_errors
def main(groups: list[str]) -> int:
    """Make the environment of this checkout with these groups. Returns the exit code."""
    require_checkout("The environment of the course")
    EnvironmentFolder().ensure(groups)
    return 0
