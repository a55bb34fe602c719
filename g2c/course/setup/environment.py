"""Creates the course's environment, the folder `.venv`, if it is missing or out of date.

    python -m g2c.course.setup [GROUP ...]      GROUP: an optional group of pyproject.toml

It always contains the group `course`; other groups are added to those that are there. uv installs the packages, if it
is on the PATH or pip can install it into `.venv`; otherwise pip does.

This runs before anything is installed, so it needs only the standard library. A stamp in the folder records what it was
made from. A `.venv` without a stamp was created by other software, such as an editor, and is neither used nor changed.
"""

import hashlib
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from g2c.common.errors import CourseError
from g2c.common.files import locked, write_file
from g2c.common.packages import COURSE_GROUP, installer_environment
from g2c.common.paths import REPOSITORY, require_checkout
from g2c.course.plain import print_line, reports_errors

STAMP = "g2c-environment.json"
CHECK = ("-c", "import g2c, numpy, tokenizers")
WORDS = 6
"""How many lines of a tool's output an error repeats."""

JUPYTER_SETTINGS = {
    # A student cannot act on a kernel's warnings, for example that it listens on this machine only.
    "ipython/ipython_kernel_config.json": {"IPKernelApp": {"log_level": 40}},
    # No pop-up asks whether to fetch Jupyter's news, or announces a new version.
    "jupyter/labconfig/page_config.json": {
        "disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}
    },
}
"""File in the environment's folder etc -> its content."""


class EnvironmentFolder:
    """Manages the environment of one clone of the course. `say` gets each message for the user."""

    def __init__(self, repository: Path = REPOSITORY, say: Callable[[str], None] = print_line) -> None:
        self.repository = repository
        self.folder = repository / ".venv"
        self.python = self.folder / "bin" / "python"
        self.log = repository / ".g2c" / "environment.log"
        self.say = say

    def ensure(self, groups: Iterable[str] = ()) -> Path:
        """Create the environment or bring it up to date, if necessary. Several processes may call this at once.

        It gets these groups of pyproject.toml, `course`, and those installed earlier. If an update fails, the
        environment is used as it is, provided that it has the groups. Returns the path of the environment's Python.
        """
        if self.problem(groups):
            busy = "Another process is creating .venv; waiting for it."
            with locked(self.repository / ".g2c" / "environment", lambda: self.say(busy)):
                if problem := self.problem(groups):
                    self._make(problem, {COURSE_GROUP, *groups})
        return self.python

    def problem(self, groups: Iterable[str] = ()) -> str | None:
        """Say what is wrong with the environment, in a few words; None if it can be used as it is."""
        stamp = self._stamp()
        if stamp is None:
            return "the course did not create it" if os.path.lexists(self.folder) else "there is none yet"
        if not self._is_in_place(stamp):
            return "its Python is gone, or the clone's folder was moved or copied"
        if not stamp.get("finished"):
            return "its last update did not finish"
        if missing := sorted({COURSE_GROUP, *groups} - set(stamp["groups"])):
            return f"it lacks the packages for {', '.join(missing)}"
        return None if stamp["requirements"] == self._requirements() else "what the course needs has changed"

    def _stamp(self) -> dict[str, Any] | None:
        """Read what the environment was made from; None if the course did not make it for this clone."""
        try:
            stamp: dict[str, Any] = json.loads((self.folder / STAMP).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None
        # A link may lead to the environment of another clone.
        return None if self.folder.is_symlink() and stamp.get("folder") != str(self.folder) else stamp

    def _is_in_place(self, stamp: dict[str, Any]) -> bool:
        return stamp.get("folder") == str(self.folder) and self.python.exists()

    def _requirements(self) -> str:
        files = (self.repository / name for name in ("pyproject.toml", "constraints.txt"))
        return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()

    def _make(self, problem: str, groups: set[str]) -> None:
        before = self._stamp()
        if before is None and os.path.lexists(self.folder):
            raise CourseError(
                "The course did not create the folder .venv, so it neither uses nor changes it. Move it away, with: "
                "mv .venv .venv-old. Then run the same command again to create a new environment."
            )
        earlier = before or {}
        is_new, started = not self._is_in_place(earlier), time.monotonic()
        doing = "Creating" if is_new else "Updating"
        self.say(f"{doing} the environment .venv ({problem}). This takes a minute or two.")
        self.log.write_bytes(b"")
        chosen = sorted(groups | set(earlier.get("groups", ())))
        stamp = {"folder": str(self.folder), "groups": chosen, "requirements": self._requirements(), "finished": False}
        try:
            if is_new:
                self._create(stamp)
            self._write_stamp(stamp)
            # A package that is installed in part may have all that names it, but not all of its files.
            unfinished = not is_new and not earlier.get("finished")
            self._install(chosen, ["--force-reinstall"] if unfinished else [])
        except CourseError as error:
            works = not is_new and self._run([str(self.python), *CHECK])
            if works:
                self._write_stamp(earlier)
            if not works or not groups <= set(earlier["groups"]):
                raise
            self.say(f"{error}\nThe environment was not updated; it is used as it is.")
            return
        self._write_stamp({**stamp, "finished": True})
        self._compile()
        self.say(f"The environment is ready after {time.monotonic() - started:.0f} s.")

    def _compile(self) -> None:
        """Begin to compile the engine's loops, and do not wait: they are needed only for long texts.

        Loops that are not compiled by then, for whatever reason, are compiled when they are used.
        """
        with suppress(OSError), self.log.open("ab") as log:
            pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
            command = [str(self.python), "-m", "g2c.engine"]
            environment = installer_environment()
            subprocess.Popen(command, cwd=self.repository, env=environment, start_new_session=True, **pipes)

    def _create(self, stamp: dict[str, Any]) -> None:
        """Make an empty environment. Where uv is installed, it needs no module venv."""
        shutil.rmtree(self.folder, ignore_errors=True)
        # sys.executable may belong to a virtual environment; the new one is made from the base interpreter.
        python, uv = getattr(sys, "_base_executable", None) or sys.executable, shutil.which("uv")
        if not (uv and self._run([uv, "venv", "--seed", "--python", python, str(self.folder)])):
            shutil.rmtree(self.folder, ignore_errors=True)
            self._run([python, "-m", "venv", str(self.folder)], "The folder .venv could not be created")
        self._write_stamp(stamp)

    def _install(self, groups: list[str], options: list[str]) -> None:
        """Install the packages. numba does not exist for every new Python and system; without it, the engine runs as
        ordinary Python."""
        pip = [str(self.python), "-m", "pip", "install", "-c", "constraints.txt"]
        uv = shutil.which("uv") or str(self.folder / "bin" / "uv")
        installers = [[uv, "pip", "install", "--python", str(self.python), "-c", "constraints.txt"], pip]
        if not (os.path.exists(uv) or self._run([*pip, "uv"])):
            del installers[0]
        course = [*options, "-e", f".[{','.join(groups)}]"]
        if not self._run([*installers[0], *course]):
            del installers[:-1]
            self._run([*pip, *course], "The packages could not be installed")
        if not self._run([*installers[0], *options, "numba"]):
            self.say(
                "numba could not be installed. Without it the engine gives the same results, but encoding and training "
                f"take much longer. The reason is in {self.log}."
            )
        for name, settings in JUPYTER_SETTINGS.items():
            write_file(self.folder / "etc" / name, [json.dumps(settings).encode()])
        self._run([str(self.python), *CHECK], "The packages do not work")

    def _write_stamp(self, stamp: dict[str, Any]) -> None:
        write_file(self.folder / STAMP, [json.dumps(stamp).encode()])

    def _run(self, command: list[str], failure: str = "") -> bool:
        """Run a program and log its output. Return whether it succeeded; with `failure`, raise CourseError instead."""
        before = self.log.stat().st_size
        try:
            with self.log.open("ab") as log:
                pipes: dict[str, Any] = {"stdin": subprocess.DEVNULL, "stdout": log, "stderr": log}
                done = subprocess.run(command, cwd=self.repository, env=installer_environment(), **pipes)
            if done.returncode == 0:
                return True
            said = self.log.read_bytes()[before:].decode(errors="replace")
        except OSError as error:
            said = f"{command[0]} does not start: {error.strerror}"
        if failure:
            lines = [f"\n    {line.strip()[:200]}" for line in said.splitlines() if line.strip()]
            raise CourseError(
                f"{failure}. The last lines of the output:{''.join(lines[-WORDS:])}\n"
                f"All of it is in {self.log}. Check that this computer is online and the disk has 2 GB left, then run "
                "the same command again."
            )
        return False


@reports_errors
def main(groups: list[str]) -> int:
    """Create or update the environment of this checkout, with these groups. Returns the exit code."""
    require_checkout("The environment of the course")
    EnvironmentFolder().ensure(groups)
    return 0
