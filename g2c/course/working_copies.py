"""Which notebook a student's working copy was made from, so that `g2c doctor` can tell when the course has a newer one.

Needs the standard library alone, as noteboosh.sh does.
"""

from pathlib import Path

from g2c.common import paths
from g2c.common.files import sha256_of_file
from g2c.course import state

_STATE = "working-copies"


def remember(original: Path, copy: Path) -> None:
    """Note what the original holds at the moment when a working copy is made of it."""
    copies = state.read(_STATE)
    copies[_inside(copy)] = {"original": _inside(original), "sha256": sha256_of_file(original)}
    state.write(_STATE, copies)


def stale_copies() -> list[tuple[str, str]]:
    """(working copy, original) for each copy whose original has changed since; paths inside the repository."""
    stale = []
    for copy, entry in state.read(_STATE).items():
        if not isinstance(entry, dict) or not isinstance(original := entry.get("original"), str):
            continue
        both_here = (paths.REPOSITORY / copy).is_file() and (paths.REPOSITORY / original).is_file()
        if both_here and sha256_of_file(paths.REPOSITORY / original) != entry.get("sha256"):
            stale.append((copy, original))
    return stale


def _inside(path: Path) -> str:
    return path.relative_to(paths.REPOSITORY).as_posix()
