"""Where the course keeps things: the checkout, its corpora and its artifacts.

The course runs in a checkout: a clone of the repository, with tests, notebooks and handouts beside the package.
Installed elsewhere (`pip install .`), the package is a library: corpora and artifacts then lie in the current folder,
and what needs a checkout says so.
"""

import os
from pathlib import Path

from g2c.common.errors import CourseError

REPOSITORY = Path(__file__).resolve().parents[2]
"""The folder that holds the package: the checkout, or site-packages when the course was installed as a library."""


def is_checkout() -> bool:
    """Whether the package lies in a checkout of the course."""
    return (REPOSITORY / "pyproject.toml").is_file()


def require_checkout(what: str) -> None:
    """Raise CourseError unless the package lies in a checkout.

    Args:
        what: what needs one, as the beginning of a sentence: "`g2c watch`".
    """
    if not is_checkout():
        raise CourseError(
            f"{what} needs a checkout of the course, with its tests and handouts, but this g2c was installed into "
            f"{REPOSITORY}. Clone the repository and run ./noteboosh.sh there."
        )


def _base() -> Path:
    return REPOSITORY if is_checkout() else Path.cwd()


def data_folder() -> Path:
    """Downloaded corpora: `G2C_DATA`, else `data/` in the checkout, or in the current folder without one."""
    return Path(os.environ.get("G2C_DATA") or _base() / "data")


def artifacts_folder() -> Path:
    """Saved tokenizers, a folder each: `G2C_ARTIFACTS`, else `artifacts/tokenizers/` beside the data folder."""
    return Path(os.environ.get("G2C_ARTIFACTS") or _base() / "artifacts" / "tokenizers")


def shown(path: str | os.PathLike[str]) -> str:
    """A path as people write it: relative to the checkout when it lies in there."""
    path = Path(path)
    return path.relative_to(REPOSITORY).as_posix() if path.is_relative_to(REPOSITORY) else str(path)
