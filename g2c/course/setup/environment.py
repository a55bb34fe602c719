"""Creates the course's environment, the folder `.venv`, if it is missing or out of date.

    python -m g2c.course.setup [GROUP ...]      GROUP: an optional group of pyproject.toml

It always contains the group `course`; other groups are added to those that are there.

This runs before anything is installed, so it needs only the standard library. A new environment is built in another
folder; for an update, that is a copy whose files are links. Once complete, it replaces `.venv`, which does not change
before, whatever happens. A stamp in the folder records what the environment was built from. A `.venv` without a stamp
was created by other software, such as an editor, and is neither used nor changed.
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
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from g2c.common.errors import CourseError
from g2c.common.files import locked, replacing_folder, restore_folder, saving, write_file
from g2c.common.packages import COURSE_GROUP, installer_environment
from g2c.common.paths import REPOSITORY, require_checkout
from g2c.course.plain import print_line, reports_errors

STAMP = "g2c-environment.json"
CHANGES = {
    "folder": "the clone's folder was moved or copied",
    "python": "its Python has changed",
    "requirements": "what the course needs has changed",
}
"""An entry of a stamp -> the problem of an environment in which it differs from the present."""

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
    r"ProxyError|annot connect to proxy|tunnel error|Tunnel connection failed|(?i:proxy authentication)": "the proxy "
    "that this computer is set to use cannot be reached, or refuses. Correct the variable https_proxy, or unset it",
    r"CERTIFICATE_VERIFY_FAILED|invalid peer certificate|CA certificate bundle|Invalid `SSL_CERT_FILE`": "the "
    "certificate of the package index{host} is not trusted here. Check this computer's clock; where the network has "
    "certificates of its own, set PIP_CERT to the file that holds them",
    r"Name or service not known|nodename nor servname|name resolution|dns error|getaddrinfo|No address assoc|"
    r"Connection refused|is unreachable|No route to host|[Tt]imed out|Connection reset|connect error|"
    r"too many 5\d\d error resp|HTTP status server error": "the package index{host} cannot be reached. Check that this "
    "computer is online, the index's address, and what the firewall allows; or try again later",
    r"\b40[13] (?:Client Error|Forbidden|Unauthorized)": "the package index{host} refuses access. Check its address "
    "and your credentials",
    r"(?i:failed (?:building|to build))|requires a different Python|no wheels with a matching|"
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

        It gets these groups of pyproject.toml, `course`, and those installed earlier. If an update fails, it stays as
        it was, and is used if it has the groups. Returns the path of the environment's Python.
        """
        if self.problem(groups):
            lock = self.repository / ".g2c" / "environment"
            with locked(lock, lambda: self.say("Another process is creating .venv; waiting for it.")) as self._lock:
                restore_folder(self.folder)
                if problem := self.problem(groups):
                    try:
                        self._make(problem, groups)
                    except CourseError as error:
                        if self._problems(groups).keys() - {"requirements", "packages"}:
                            raise
                        self.say(f"{error}\nThe environment was not updated; it is used as it was before.")
        return self.python

    def problem(self, groups: Iterable[str] = ()) -> str | None:
        """Say what is wrong with the environment, in a few words; None if it can be used as it is."""
        return ", and ".join(self._problems(groups).values()) or None

    def _problems(self, groups: Iterable[str]) -> dict[str, str]:
        stamp = self._stamp()
        if stamp is None:
            return {"stamp": "the course did not create it" if os.path.lexists(self.folder) else "there is none yet"}
        if not stamp:
            return {"stamp": "it is incomplete"}
        present, problems = self._present(self.folder), {}
        if missing := sorted({COURSE_GROUP, *groups} - set(stamp["groups"])):
            problems["groups"] = f"it lacks the packages for {', '.join(missing)}"
        problems |= {name: change for name, change in CHANGES.items() if stamp.get(name) != present[name]}
        if lost := self._lost(stamp):
            problems["packages"] = f"packages are missing from it: {', '.join(lost)}"
        return problems

    # --- what is there ------------------------------------------------------------------------------------------------

    def _stamp(self) -> dict[str, Any] | None:
        """Read what the environment was made from; None if the course did not make it."""
        try:
            text = (self.folder / STAMP).read_text(encoding="utf-8")
        except OSError:
            return None
        return dict(json.loads(text or "{}"))

    def _present(self, folder: Path) -> dict[str, str]:
        """Return what a stamp would record now, for an environment in this folder."""
        version = ""
        with suppress(OSError):
            command = [str(folder / "bin" / "python"), "-V"]
            version = subprocess.run(command, capture_output=True, encoding="utf-8").stdout
        files = (self.repository / name for name in ("pyproject.toml", "constraints.txt"))
        requirements = hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
        # A change in the third part of the version does not affect the packages.
        python = ".".join(version.removeprefix("Python ").strip().split(".")[:2])
        return {"folder": str(self.folder), "python": python, "requirements": requirements}

    def _lost(self, stamp: dict[str, Any]) -> list[str]:
        """Return the packages that the environment had when it was complete, and that were uninstalled since."""
        return sorted(set(stamp.get("packages", ())) - _packages_in(self.folder))

    # --- making it ----------------------------------------------------------------------------------------------------

    def _make(self, problem: str, groups: Iterable[str]) -> None:
        stamp, present = self._stamp(), self._present(self.folder)
        # A link may lead to the environment of another clone.
        is_mine = stamp is not None and (not self.folder.is_symlink() or stamp.get("folder") == present["folder"])
        if os.path.lexists(self.folder) and not is_mine:
            raise CourseError(
                "The course did not create the folder .venv, so it neither uses nor changes it. Move it away, with: "
                "mv .venv .venv-old. Then run the same command again to create a new environment."
            )
        started = time.monotonic()
        stamp = stamp or {}
        lost = self._lost(stamp)
        is_update = stamp.get("python") == present["python"] and "pip" not in lost
        chosen = sorted({COURSE_GROUP, *groups, *stamp.get("groups", ())})
        doing = "Updating" if is_update else "Creating"
        self.say(f"{doing} the environment .venv ({problem}). This takes a minute or two.")
        self.log.write_bytes(b"")
        with replacing_folder(self.folder) as new:
            if is_update:
                shutil.copytree(self.folder, new, symlinks=True, copy_function=_link, dirs_exist_ok=True)
            self._create(new, is_update)
            made_from = {**self._present(new), "groups": chosen}
            if not is_update or lost or stamp != {**stamp, **made_from, "folder": stamp["folder"]}:
                self._install(new, chosen)
            self._settle(new, stamp.get("folder", str(new)))
            write_file(new / STAMP, [json.dumps({**made_from, "packages": sorted(_packages_in(new))}).encode()])
        # Compiles the engine's loops; any that fail here are compiled when they are used.
        self._run([str(self.python), "-m", "g2c.engine"])
        seconds = time.monotonic() - started
        self.say(f"The environment is ready after {seconds:.0f} s (Python {made_from['python']}).")

    def _create(self, new: Path, is_update: bool) -> None:
        """Create the environment in a folder, or, for an update, only its scripts that name the folder."""
        if not is_update and (find_spec("venv") is None or find_spec("ensurepip") is None):
            version = f"{sys.version_info.major}.{sys.version_info.minor}"
            raise CourseError(
                f"Python {version} is installed, but without its module venv: on Debian and Ubuntu, install the "
                f"package python{version}-venv, then run this again."
            )
        for script in new.glob("bin/[Aa]ctivate*"):
            script.unlink()  # As a link, it is also in the environment that it was copied from.
        # sys.executable may belong to a virtual environment; the new one is made from the base interpreter.
        base_python = getattr(sys, "_base_executable", None) or sys.executable
        python, options = (str(self.python), ["--without-pip"]) if is_update else (base_python, [])
        command = [python, "-m", "venv", "--prompt", ".venv", *options, str(new)]
        self._run(command, "The folder .venv could not be created")

    def _install(self, new: Path, groups: list[str]) -> None:
        """Install the packages with uv, which takes seconds, or with pip if uv does not work.

        numba does not exist for every new Python and system. Without it, the engine runs as ordinary Python.
        """
        python = str(new / "bin" / "python")
        self._variables = installer_environment(python)
        install = ["install", "-c", "constraints.txt"]
        pip = [python, "-m", "pip", *install]
        no_index = ["--no-index"] if self._variables.get("PIP_NO_INDEX", "0") not in ("0", "false") else []
        uv = [str(new / "bin" / "uv"), "pip", *install, "--python", python, *no_index]
        course = ["-e", f".[{','.join(groups)}]"]
        # With -vv, pip says why it cannot reach an index.
        uv_works = self._run([*pip, "-vv", "uv"]) and self._run([*uv, *course])
        if not uv_works:
            self._run([*pip, *course], "The packages could not be installed")
        if not self._run([*(uv if uv_works else pip), "numba"]):
            self.say(
                "numba could not be installed. Without it the engine gives the same results, but encoding and training "
                f"take much longer. The reason is in {self.log}."
            )

    def _settle(self, new: Path, old: str) -> None:
        """Prepare an environment built in `new`, or copied from `old`, for its final place, and check that it works.

        setuptools has put the clone into Python's search path, through a .pth file, so that a clone called g2c in the
        current folder does not hide the package.
        """
        place, built, final = os.fsencode(self.folder), f"/{new.name}".encode(), f"/{self.folder.name}".encode()
        head = re.compile(rb"\A#!(?:/bin/sh\n'''exec' )?.*%s/bin/(python[\w.]*).*(?:\n' ''')?" % re.escape(final))
        for script in (new / "bin").iterdir():
            if script.is_symlink() or not script.is_file() or b"\0" in (text := script.read_bytes()):
                continue
            # The last part of a path is the same in every way of quoting.
            settled = re.sub(rb"%s(?![\w.-])" % re.escape(os.fsencode(old)), lambda _: place, text).replace(
                built, final
            )
            # A first line that works for any path: the shell runs Python, which reads the line as a string.
            settled = head.sub(lambda found: _first_lines(self.folder / "bin" / os.fsdecode(found[1])), settled)
            if settled != text:
                mode = script.stat().st_mode
                script.unlink()
                script.write_bytes(settled)
                script.chmod(mode)
        root = os.fsencode(self.repository)
        # Before Python 3.13, a path that is not ASCII is read by the locale.
        line = root if root.isascii() else b"import os, sys; sys.path.append(os.fsdecode(%a))" % root
        for path in new.glob("lib/python*/site-packages/__editable__.g2c-*.pth"):
            path.unlink()
            path.write_bytes(line + b"\n")
        for name, settings in JUPYTER_SETTINGS.items():
            write_file(new / "etc" / name, [json.dumps(settings).encode()])
        self._run([str(new / "bin" / "python"), "-c", "import g2c, numpy, tokenizers"], "The packages do not work")

    def _run(self, command: list[str], failure: str = "") -> bool:
        """Run a program and log its output. Return whether it succeeded; with `failure`, raise CourseError instead.

        If this process is interrupted, the program and its children are killed. They inherit the lock, as standard
        input, so if only this process is killed, it stays locked until the last of them has ended.
        """
        try:
            with self.log.open("ab") as log:
                program = subprocess.Popen(
                    command,
                    cwd=self.repository,
                    env=self._variables,
                    stdin=self._lock,
                    stdout=log,
                    stderr=log,
                    process_group=0,
                )
            if program.wait() == 0:
                return True
        except OSError as error:
            problem = f"{command[0]} does not start: {error.strerror}."
        except BaseException:
            os.killpg(program.pid, signal.SIGKILL)
            program.wait()
            raise
        else:
            said = self.log.read_text(encoding="utf-8", errors="replace")
            problem = f"{cause_of(said, self.repository)}\nThe whole output is in {self.log}."
        if failure:
            raise CourseError(f"{failure}: {problem}")
        return False


def _first_lines(python: Path) -> bytes:
    return os.fsencode(f"#!/bin/sh\n'''exec' {shlex.quote(str(python))} \"$0\" \"$@\"\n' '''")


def _packages_in(folder: Path) -> set[str]:
    return {found.name.partition("-")[0] for found in folder.glob("lib/python*/site-packages/[!~]*.dist-info")}


def _link(file: str, copy: str) -> None:
    """Link a file, which both installers replace as a whole, or copy it if the file system has no links."""
    try:
        os.link(file, copy, follow_symlinks=False)
    except OSError:
        with saving(Path(copy)):
            shutil.copy2(file, copy, follow_symlinks=False)


def cause_of(output: str, folder: Path) -> str:
    """Say why an installation failed, and what to do. On a full disk, the output may be empty."""
    room = {str(place): shutil.disk_usage(place).free for place in (folder, tempfile.gettempdir(), Path.home())}
    in_words = ", ".join(f"{place}: {free // 1_000_000:,} MB free" for place, free in room.items())
    output += "\nNo space left on device" if min(room.values()) < 10_000_000 else ""
    for pattern, cause in CAUSES.items():
        if found := re.search(pattern, output):
            line = output[output.rfind("\n", 0, found.start()) + 1 :].partition("\n")[0].strip()[:200]
            # The address may be a few lines above.
            hosts = re.findall(r"(?:https?://|host=')([\w.-]+)", output[: found.end()])
            said = cause.format(room=in_words, line=line, host=f" {hosts[-1]}" if hosts else "")
            return f"{said}. Then run the same command again."
    lines = [f"    {line.strip()[:200]}" for line in output.splitlines() if line.strip()]
    quoted = "\n".join(["the cause is not known. The last lines of the output:", *lines[-4:]])
    return (
        f"{quoted}\nCheck that this computer is online and that the disk is not full, then run the same command again."
    )


@reports_errors
def main(groups: list[str]) -> int:
    """Create or update the environment of this checkout, with these groups. Returns the exit code."""
    require_checkout("The environment of the course")
    EnvironmentFolder().ensure(groups)
    return 0
