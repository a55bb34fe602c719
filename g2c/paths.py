"""Where the course keeps things: the repository, its corpora and its artifacts."""

import os
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parent.parent
"""The clone that this package was installed from (`pip install -e .`)."""


def data_folder() -> Path:
    """Downloaded corpora: `G2C_DATA`, else `data/` in the repository."""
    return Path(os.environ.get("G2C_DATA") or REPOSITORY / "data")


def artifacts_folder() -> Path:
    """Saved tokenizers, a folder each: `G2C_ARTIFACTS`, else `artifacts/tokenizers/` in the repository."""
    return Path(os.environ.get("G2C_ARTIFACTS") or REPOSITORY / "artifacts" / "tokenizers")


def shown(path: str | os.PathLike[str]) -> str:
    """A path as people write it: relative to the repository when it lies in there."""
    path = Path(path)
    return path.relative_to(REPOSITORY).as_posix() if path.is_relative_to(REPOSITORY) else str(path)
