"""Creates the course's environment, the folder `.venv`, if it is missing or out of date.

    python -m g2c.course.setup [GROUP ...]      GROUP: an optional group of pyproject.toml

It always contains the group `course`; other groups are added to those that are there.

This runs before anything is installed, so it needs only the standard library. The environment is made and updated in
place. A stamp in the folder records what it was made from; while packages are being installed, it says that they are
incomplete. A `.venv` without a stamp was created by other software, such as an editor, and is neither used nor changed.
"""

import hashlib
import json
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

from g2c.common.errors import CourseError
from g2c.common.files import locked, replacing_folder, write_file
from g2c.common.packages import COURSE_GROUP, installer_environment
from g2c.common.paths import REPOSITORY, require_checkout
from g2c.course.plain import print_line, reports_errors

STAMP = "g2c-environment.json"
CHANGES = {
    "folder": "the clone's folder was moved or copied",
    "python": "its Python has changed",
    "requirements": "what the course needs has changed",
    "update": "its last update did not finish",
}
"""An entry of a stamp -> the problem of an environment in which it differs from the present."""
CHECK = ("-c", "import g2c, numpy, tokenizers")
HEAD = re.compile(rb"\A#!(?:/bin/sh\n'''exec' )?.*/\.venv/bin/python.*(?:\n' ''')?")
"""The first lines of a script of the environment, as pip or uv writes them."""

JUPYTER_SETTINGS = {
    # A student cannot act on a kernel's warnings, for example that it listens on this machine only.
    "ipython/ipython_kernel_config.json": {"IPKernelApp": {"log_level": 40}},
    # No pop-up asks whether to fetch Jupyter's news, or announces a new version.
    "jupyter/labconfig/page_config.json": {
        "disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}
    },
}
"""File in the environment's folder etc -> its content."""

CAUSES = {
    r"No space left on device|Disk quota exceeded|(?:os error |Errno )(?:28|122)\b": "the disk is full, or your quota "
    "is used up ({room}). Make room: the environment takes up to 2 GB. Where only the folder for temporary files is "
    "too small, set TMPDIR to another",
    r"Read-only file system|Permission denied|Operation not permitted|(?:os error |Errno )(?:13|30)\b": "a folder may "
    "not be written to ({line}). Get the right to write there, or move the clone to a folder of your own",
    r"ProxyError|annot connect to proxy|tunnel error|Tunnel connection failed|[Pp]roxy [Aa]uthentication": "the proxy "
    "that this computer is set to use cannot be reached, or refuses. Correct the variable https_proxy, or unset it",
    r"CERTIFICATE_VERIFY_FAILED|invalid peer certificate|CA certificate bundle|Invalid `SSL_CERT_FILE`": "the "
    "certificate of the package index{host} is not trusted here. Check this computer's clock; where the network has "
    "certificates of its own, set PIP_CERT to the file that holds them",
    r"Name or service not known|nodename nor servname|name resolution|dns error|getaddrinfo|No address assoc|"
    r"Connection refused|is unreachable|No route to host|[Tt]imed out|Connection reset|connect error|"
    r"too many 5\d\d error resp|HTTP status server error": "the package index{host} cannot be reached. Check that this "
    "computer is online, the index's address, and what the firewall allows; or try again later",
    r"\b40[13] (?:Client|Forbidden|Unauthorized)": "the package index{host} refuses access. Check its address and your "
    "credentials",
    r"No module named '?(?:venv|ensurepip)|ensurepip is not available": "Python {version} is installed without "
    "its module venv. On Debian and Ubuntu, install the package python{version}-venv",
    r"[Ff]ailed (?:building|to build)|requires a different Python|no wheels with a matching|"
    r"from versions: (?:\d|none)|not found in the p|404 Client Error": "the package index{host} lacks a package for "
    "this version of Python and this system ({line}). Check what pip is set up with, pip config list, or install "
    "another Python: the course is tested with 3.11 to 3.14",
}
"""A pattern for the output of pip, uv and venv -> the cause, and what to do. The first pattern that fits counts."""


class EnvironmentFolder:
    """Manages the environment of one clone of the course. `say` gets each message for the user."""

    def __init__(self, repository: Path = REPOSITORY, say: Callable[[str], None] = print_line) -> None:
        self.repository = repository
        self.folder = repository / ".venv"
        self.python = self.folder / "bin" / "python"
        self.log = repository / ".g2c" / "environment.log"
        self.say = say
        self._variables = installer_environment()
        self._lock = -1

    def ensure(self, groups: Iterable[str] = ()) -> Path:
        """Create the environment or bring it up to date, if necessary. Several processes may call this at once.

        It gets these groups of pyproject.toml, `course`, and those installed earlier. If an update fails, the
        environment is used as it is, provided that it has the groups. Returns the path of the environment's Python.
        """
        if self.problem(groups):
            lock = self.repository / ".g2c" / "environment"
            with locked(lock, lambda: self.say("Another process is creating .venv; waiting for it.")) as self._lock:
                if problems := self._problems(groups):
                    try:
                        self._make(problems, groups)
                    except CourseError as error:
                        left = self._problems(groups).keys() - {"requirements", "packages", "update"}
                        if left or not self._run([str(self.python), *CHECK]):
                            raise
                        self.say(f"{error}\nThe environment was not updated; it is used as it is.")
        return self.python

    def problem(self, groups: Iterable[str] = ()) -> str | None:
        """Say what is wrong with the environment, in a few words; None if it can be used as it is."""
        return ", and ".join(self._problems(groups).values()) or None

    def _problems(self, groups: Iterable[str]) -> dict[str, str]:
        stamp = self._stamp()
        if stamp is None:
            return {"stamp": "the course did not create it" if os.path.lexists(self.folder) else "there is none yet"}
        if "packages" not in stamp:
            return {"stamp": "it is incomplete"}
        present, problems = self._present(), {}
        if missing := sorted({COURSE_GROUP, *groups} - set(stamp["groups"])):
            problems["groups"] = f"it lacks the packages for {', '.join(missing)}"
        problems |= {name: change for name, change in CHANGES.items() if stamp.get(name) != present[name]}
        if lost := sorted(set(stamp["packages"]) - self._packages()):
            problems["packages"] = f"packages are missing from it: {', '.join(lost)}"
        return problems

    def _stamp(self) -> dict[str, Any] | None:
        """Read what the environment was made from; None if the course did not make it."""
        try:
            return dict(json.loads((self.folder / STAMP).read_text(encoding="utf-8")))
        except (OSError, ValueError):
            return None

    def _present(self) -> dict[str, Any]:
        """Return what the stamp of a complete environment would record now."""
        version = ""
        with suppress(OSError):
            version = subprocess.run([self.python, "-V"], capture_output=True, encoding="utf-8").stdout
        files = (self.repository / name for name in ("pyproject.toml", "constraints.txt"))
        requirements = hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
        # A change in the third part of the version does not affect the packages.
        python = ".".join(version.removeprefix("Python ").strip().split(".")[:2])
        return {"folder": str(self.folder), "python": python, "requirements": requirements, "update": None}

    def _packages(self) -> set[str]:
        found = self.folder.glob("lib/python*/site-packages/[!~]*.dist-info")
        return {folder.name.partition("-")[0] for folder in found}

    def _last_change(self) -> list[int]:
        """Return when a package was last installed or removed."""
        return [path.stat().st_mtime_ns for path in self.folder.glob("lib/python*/site-packages")]

    # --- making it ----------------------------------------------------------------------------------------------------

    def _make(self, problems: dict[str, str], groups: Iterable[str]) -> None:
        stamp = self._stamp()
        # A link may lead to the environment of another clone.
        is_mine = stamp is not None and (not self.folder.is_symlink() or stamp.get("folder") == str(self.folder))
        if os.path.lexists(self.folder) and not is_mine:
            raise CourseError(
                "The course did not create the folder .venv, so it neither uses nor changes it. Move it away, with: "
                "mv .venv .venv-old. Then run the same command again to create a new environment."
            )
        started, is_new = time.monotonic(), bool(problems.keys() & {"stamp", "python"})
        doing = "Creating" if is_new else "Updating"
        self.say(f"{doing} the environment .venv ({', and '.join(problems.values())}). This takes a minute or two.")
        self.log.write_bytes(b"")
        stamp = {"folder": str(self.folder), **(stamp or {})}
        if is_new:
            stamp.pop("packages", None)
            with replacing_folder(self.folder) as empty:
                self._write_stamp(stamp, empty)
        self._write_stamp({**stamp, "update": "unfinished"})
        # sys.executable may belong to a virtual environment; the new one is made from the base interpreter.
        python = (getattr(sys, "_base_executable", None) or sys.executable) if is_new else str(self.python)
        without_pip = ["--without-pip"] if "pip" in self._packages() else []
        command = [python, "-m", "venv", "--prompt", ".venv", *without_pip, str(self.folder)]
        self._run(command, "The folder .venv could not be created")
        chosen = sorted({COURSE_GROUP, *groups, *stamp.get("groups", ())})
        if problems.keys() != {"folder"}:
            before = self._last_change()
            try:
                self._install(chosen, ["--force-reinstall"] if "update" in problems else [])
            except CourseError:
                if self._last_change() == before:
                    self._write_stamp(stamp)
                raise
        self._settle()
        present = self._present()
        self._write_stamp({**present, "groups": chosen, "packages": sorted(self._packages())})
        # Compiles the engine's loops; any that fail here are compiled when they are used.
        self._run([str(self.python), "-m", "g2c.engine"])
        seconds = time.monotonic() - started
        self.say(f"The environment is ready after {seconds:.0f} s (Python {present['python']}).")

    def _install(self, groups: list[str], options: list[str]) -> None:
        """Install the packages with uv, which takes seconds, or with pip if uv does not work.

        Both download everything before they change anything. numba does not exist for every new Python and system;
        without it, the engine runs as ordinary Python.
        """
        self._variables = installer_environment(str(self.python))
        pip = [str(self.python), "-m", "pip", "install", "-c", "constraints.txt"]
        no_index = ["--no-index"] if self._variables.get("PIP_NO_INDEX", "0") not in ("0", "false") else []
        uv = [str(self.python.with_name("uv")), "pip", *pip[3:], "--python", str(self.python), *no_index]
        course = [*options, "-e", f".[{','.join(groups)}]"]
        # With -vv, pip says why it cannot reach an index.
        uv_works = self._run([*pip, "-vv", "uv"]) and self._run([*uv, *course])
        if not uv_works:
            self._run([*pip, *course], "The packages could not be installed")
        if not self._run([*(uv if uv_works else pip), *options, "numba"]):
            self.say(
                "numba could not be installed. Without it the engine gives the same results, but encoding and training "
                f"take much longer. The reason is in {self.log}."
            )

    def _settle(self) -> None:
        """Let scripts and the course's own package be found in this place, and check that the packages work."""
        head = f"#!/bin/sh\n'''exec' {shlex.quote(str(self.python))} \"$0\" \"$@\"\n' '''".encode()
        for script in self.python.parent.iterdir():
            text = script.read_bytes() if script.is_file() else b""
            # A first line that works for any path: the shell runs Python, which reads the line as a string.
            settled = HEAD.sub(lambda _: head, text)
            if settled != text:
                new = script.with_suffix(".new")
                new.write_bytes(settled)
                new.chmod(0o755)
                new.replace(script)
        # The clone, from there, so that one called g2c in the current folder does not hide the package.
        for path in self.folder.glob("lib/python*/site-packages/__editable__.g2c-*.pth"):
            write_file(path, [b"../../../..\n"])
        for name, settings in JUPYTER_SETTINGS.items():
            write_file(self.folder / "etc" / name, [json.dumps(settings).encode()])
        self._run([str(self.python), *CHECK], "The packages do not work")

    def _write_stamp(self, stamp: dict[str, Any], folder: Path | None = None) -> None:
        write_file((folder or self.folder) / STAMP, [json.dumps(stamp).encode()])

    def _run(self, command: list[str], failure: str = "") -> bool:
        """Run a program and log its output. Return whether it succeeded; with `failure`, raise CourseError instead.

        If this process is interrupted, the program and its children are killed. They inherit the lock, as standard
        input, so if only this process is killed, it stays locked until the last of them has ended.
        """
        try:
            with self.log.open("ab") as log:
                pipes: dict[str, Any] = {"stdin": self._lock, "stdout": log, "stderr": log, "process_group": 0}
                program = subprocess.Popen(command, cwd=self.repository, env=self._variables, **pipes)
            if program.wait() == 0:
                return True
            said = self.log.read_text(encoding="utf-8", errors="replace")
            problem = f"{cause_of(said, self.repository)}\nThe whole output is in {self.log}."
        except OSError as error:
            problem = f"{command[0]} does not start: {error.strerror}."
        except BaseException:
            os.killpg(program.pid, signal.SIGKILL)
            program.wait()
            raise
        if failure:
            raise CourseError(f"{failure}: {problem}")
        return False


def cause_of(output: str, folder: Path) -> str:
    """Say why an installation failed, and what to do. On a full disk, the output may be empty."""
    room = {str(place): shutil.disk_usage(place).free for place in (folder, tempfile.gettempdir(), Path.home())}
    in_words = ", ".join(f"{place}: {free // 1_000_000:,} MB free" for place, free in room.items())
    output += "\nNo space left on device" if min(room.values()) < 10_000_000 else ""
    for pattern, cause in CAUSES.items():
        if found := re.search(rf"(?m)^.*?(?:{pattern}).*", output):
            # The address may be a few lines above.
            host = re.findall(r"(?:https?://|host=')([\w.-]+)", output[: found.end()])[-1:]
            version, line = "{}.{}".format(*sys.version_info), found[0].strip()[:200]
            said = cause.format(room=in_words, line=line, host=" ".join(["", *host]), version=version)
            return f"{said}. Then run the same command again."
    lines = [f"\n    {line.strip()[:200]}" for line in output.splitlines() if line.strip()]
    return (
        f"the cause is not known. The last lines of the output:{''.join(lines[-4:])}\n"
        "Check that this computer is online and that the disk is not full, then run the same command again."
    )


@reports_errors
def main(groups: list[str]) -> int:
    """Create or update the environment of this checkout, with these groups. Returns the exit code."""
    require_checkout("The environment of the course")
    EnvironmentFolder().ensure(groups)
    return 0
