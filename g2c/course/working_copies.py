"""Which version of a notebook each working copy was made from, so that `g2c doctor` can report a newer one.

Needs the standard library alone, as noteboosh.sh does.
"""

from pathlib import Path

from g2c.common import paths
from g2c.common.files import sha256_of_file
from g2c.course import state

_STATE = "working-copies"


def remember(original: Path, copy: Path) -> None:
    """Store the checksum of the original when a working copy is made of it."""
    copies = state.read(_STATE)
    copies[_relative(copy)] = {"original": _relative(original), "sha256": sha256_of_file(original)}
    state.write(_STATE, copies)


def stale_copies() -> list[tuple[str, str]]:
    """(working copy, original) for each copy whose original has changed; paths relative to the repository."""
    stale = []
    for copy, entry in state.read(_STATE).items():
        if not isinstance(entry, dict) or not isinstance(original := entry.get("original"), str):
            continue
        both_here = (paths.REPOSITORY / copy).is_file() and (paths.REPOSITORY / original).is_file()
        if both_here and sha256_of_file(paths.REPOSITORY / original) != entry.get("sha256"):
            stale.append((copy, original))
    return stale


def _relative(path: Path) -> str:
    return path.relative_to(paths.REPOSITORY).as_posix()
