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
