"""Creates the course's environment, the folder `.venv`, if it is missing or out of date.

    python -m coach.setup [GROUP ...]      GROUP: an optional group of pyproject.toml

It always contains the group `course`; other groups are added to those that are there. uv does the work. Where it is not
on the PATH, venv makes the folder, and pip installs uv there; where it cannot, pip does the work.

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
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from coach.common.course_file import course_file
from coach.common.errors import CourseError
from coach.common.files import locked, write_file
from coach.common.packages import COURSE_GROUP, installer_environment
from coach.common.paths import REPOSITORY, require_checkout
from coach.plain import print_line, reports_errors

STAMP = "g2c-environment.json"
"""It has the folder, the groups, and the digest of the requirements, which is empty until they are installed."""

NO_STAMP: dict[str, Any] = {"folder": "", "groups": [], "requirements": ""}
WORDS = 10
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
    """Manages the environment of one clone of the course."""

    def __init__(self, repository: Path = REPOSITORY) -> None:
        self.repository = repository
        self.folder = repository / ".venv"
        self.python = self.folder / "bin" / "python"

    def ensure(self, groups: Iterable[str] = ()) -> Path:
        """Create the environment or bring it up to date, if necessary. Several processes may call this at once.

        It gets these groups of pyproject.toml, `course`, and those installed earlier. If an update fails, the
        environment is used as it is, provided that it has the groups. Returns the path of the environment's Python.
        """
        if self.problem(groups):
            busy = "Another process is creating .venv; waiting for it."
            with locked(self.repository / ".g2c" / "environment", lambda: print_line(busy)):
                if problem := self.problem(groups):
                    self._make(problem, {COURSE_GROUP, *groups})
        return self.python

    def problem(self, groups: Iterable[str] = ()) -> str | None:
        """Say what is wrong with the environment, in a few words; None if it can be used as it is."""
        stamp = self._stamp()
        if stamp is None:
            return "the course did not create it" if os.path.lexists(self.folder) else "there is none yet"
        if not self._is_whole(stamp):
            return "it is incomplete, or the clone's folder was moved or copied"
        if missing := sorted({COURSE_GROUP, *groups} - set(stamp["groups"])):
            return f"it lacks the packages for {', '.join(missing)}"
        return None if stamp["requirements"] == self._requirements() else "what the course needs has changed"

    def _stamp(self) -> dict[str, Any] | None:
        """Read what the environment was made from; None if the course did not make it."""
        try:
            stamp: dict[str, Any] = json.loads((self.folder / STAMP).read_text(encoding="utf-8"))
            return stamp
        except (OSError, ValueError):
            return None

    def _is_whole(self, stamp: dict[str, Any]) -> bool:
        return stamp["folder"] == str(self.folder) and self.python.exists() and stamp["requirements"] != ""

    def _requirements(self) -> str:
        files = (self.repository / name for name in ("pyproject.toml", "constraints.txt"))
        return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()

    def _make(self, problem: str, groups: set[str]) -> None:
        before, started = self._stamp(), time.monotonic()
        if before is None and os.path.lexists(self.folder):
            raise CourseError(
                "The course did not create the folder .venv, so it neither uses nor changes it. Move it away, with: "
                "mv .venv .venv-old. Then run the same command again to create a new environment."
            )
        before = before or NO_STAMP
        is_whole = self._is_whole(before)
        doing = "Updating" if is_whole else "Creating"
        print_line(f"{doing} the environment .venv ({problem}). This takes a minute or two.")
        chosen = sorted(groups | set(before["groups"]))
        try:
            self._install(chosen, anew=not is_whole)
        except CourseError as error:
            if is_whole:
                self._write_stamp(before)
            if not is_whole or not groups <= set(before["groups"]):
                raise
            print_line(f"{error}\nThe environment was not updated; it is used as it is.")
            return
        self._write_stamp({"folder": str(self.folder), "groups": chosen, "requirements": self._requirements()})
        self._prepare()
        print_line(f"The environment is ready after {time.monotonic() - started:.0f} s.")

    def _install(self, groups: list[str], *, anew: bool) -> None:
        """Install the packages, into a new environment or into the one that is there. A package that is
        optional in course.toml does not exist for every new Python and system; the course also runs without it."""
        # sys.executable may belong to a virtual environment; the new one is made from the base interpreter.
        base = getattr(sys, "_base_executable", None) or sys.executable
        folder, python = str(self.folder), str(self.python)
        if anew:
            shutil.rmtree(self.folder, ignore_errors=True)
        uv = shutil.which("uv")  # Where the old environment is active, its own uv was the first.
        self._write_stamp({"folder": folder, "groups": groups, "requirements": ""})
        if anew:
            with_uv = [str(uv), "venv", "--quiet", "--seed", "--allow-existing", "--python", base, folder]
            self._run("The folder .venv could not be created.", *(with_uv if uv else [base, "-m", "venv", folder]))
        install = [python, "-m", "pip", "install", "--quiet", "-c", "constraints.txt"]
        own_uv = self.folder / "bin" / "uv"
        if not (uv or own_uv.exists()):
            # pip alone takes several times as long.
            with suppress(CourseError):
                self._run("uv could not be installed.", *install, "uv")
        if uv or own_uv.exists():
            install = [uv or str(own_uv), "pip", "install", "--python", python, "--quiet", "-c", "constraints.txt"]
        self._run("The packages could not be installed.", *install, "-e", f".[{','.join(groups)}]")
        for package, without in course_file().get("setup", {}).get("optional", {}).items():
            try:
                self._run(f"{package} could not be installed.", *install, package)
            except CourseError as error:
                print_line(f"{error}\n{without}")
        for name, settings in JUPYTER_SETTINGS.items():
            write_file(self.folder / "etc" / name, [json.dumps(settings).encode()])

    def _write_stamp(self, stamp: dict[str, Any]) -> None:
        write_file(self.folder / STAMP, [json.dumps(stamp).encode()])

    def _run(self, failure: str, *command: str) -> None:
        """Run a program. Raises CourseError if it fails, with the last lines of its output after the sentence."""
        try:
            output = subprocess.PIPE
            done = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, **self._surroundings())
            said, code = done.stdout.decode(errors="replace"), done.returncode
        except OSError as error:
            said, code = f"{command[0]} does not start: {error.strerror}", 1
        if code:
            lines = [f"    {line.strip()[:200]}" for line in said.splitlines() if line.strip()]
            remedy = "Check that this computer is online and the disk has 2 GB left, then run the same command again."
            raise CourseError("\n".join([failure, *lines[-WORDS:], remedy]))

    def _prepare(self) -> None:
        """Start the module that the course runs after the installation, such as a compiler, and do not wait."""
        if module := course_file().get("setup", {}).get("start"):
            output = subprocess.DEVNULL
            command = [str(self.python), "-m", module]
            subprocess.Popen(command, stdout=output, stderr=output, start_new_session=True, **self._surroundings())

    def _surroundings(self) -> dict[str, Any]:
        return {"cwd": self.repository, "env": installer_environment(), "stdin": subprocess.DEVNULL}


@reports_errors
def main(groups: list[str]) -> int:
    """Create or update the environment of this checkout, with these groups. Returns the exit code."""
    require_checkout("The environment of the course")
    EnvironmentFolder().ensure(groups)
    return 0
