"""Where the course keeps its files: the checkout, its data and its artifacts.

The course runs in a checkout: a clone of the repository, with tests, notebooks and handouts beside the packages. Where
they are missing (`pip install .`), the packages are a library: it keeps corpora and artifacts in the current folder,
writes nothing beside the installed files, and raises CourseError where a checkout is needed.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

from coach.common.errors import CourseError

REPOSITORY = Path(__file__).resolve().parents[2]
"""The folder that contains this package: the checkout, or site-packages if the course is installed as a library."""


def is_checkout() -> bool:
    """Tell whether the package lies in a checkout of the course."""
    return (REPOSITORY / "pyproject.toml").is_file()


def is_own_package(name: str) -> bool:
    """Tell whether a module, such as "g2c.tokenizer.bpe", belongs to the course, and not to a library."""
    return (REPOSITORY / name.partition(".")[0] / "__init__.py").is_file() and is_checkout()


def require_checkout(what: str) -> None:
    """Raise CourseError if the course is installed as a library. `what`, such as "`g2c watch`", needs a checkout."""
    if not is_checkout():
        raise CourseError(
            f"{what} needs a checkout of the course, with its tests and handouts, but this copy was installed into "
            f"{REPOSITORY}. Clone the repository and run ./noteboosh.sh there."
        )


def other_clone() -> str:
    """Return a warning if the current folder is in another clone than this package, whose files are tested; or ""."""
    with suppress(FileNotFoundError):  # The current folder was deleted.
        here = Path.cwd()
        found = next((folder for folder in (here, *here.parents) if (folder / "coach" / "common").is_dir()), REPOSITORY)
        if found != REPOSITORY:
            return f"You are in the clone {found}, but this course belongs to {REPOSITORY} and tests the files there."
    return ""


def environment(**variables: str) -> dict[str, str]:
    """Make the environment, with these variables, for a process that imports this copy of the course.

    In that process, files in the current folder do not replace libraries.
    """
    # The first entry is the current folder, or the program's.
    packages = (Path(place, "coach") for place in sys.path[not sys.flags.safe_path :])
    found = next((package.resolve() for package in packages if (package / "__init__.py").is_file()), None)
    search_path = os.environ.get("PYTHONPATH", "")
    if found != REPOSITORY / "coach":
        search_path = f"{REPOSITORY}{os.pathsep}{search_path}".strip(os.pathsep)
    return {**os.environ, "PYTHONPATH": search_path, "PYTHONSAFEPATH": "1", **variables}


def _base() -> Path:
    return REPOSITORY if is_checkout() else Path.cwd()


def data_folder() -> Path:
    """Return the folder of corpora: `G2C_DATA` if set, or `data/` in the checkout or, if none, the current folder."""
    return Path(os.environ.get("G2C_DATA") or _base() / "data")


def artifacts_folder() -> Path:
    """Return the folder of artifacts: `G2C_ARTIFACTS` if set, or `artifacts/tokenizers/` beside `data/`."""
    return Path(os.environ.get("G2C_ARTIFACTS") or _base() / "artifacts" / "tokenizers")


def display_path(path: str | os.PathLike[str]) -> str:
    """Return a path for messages: relative to the checkout if it is inside, or as given."""
    path = Path(path)
    return path.relative_to(REPOSITORY).as_posix() if path.is_relative_to(REPOSITORY) else str(path)
