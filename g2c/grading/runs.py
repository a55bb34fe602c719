"""What came of the runs of a test runner, kept in the report folder, so that a class is graded only once.

FOLDER/runs/KEY.json holds the records of one run and how long it took. KEY is a fingerprint of everything that the run
depends on: the submission's files, the course, the hidden tests and the options. The same command, given again after it
was interrupted, finds what it has finished there, and a submission that has not changed is not graded again.
"""

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from g2c.common.files import write_file

FOLDER = "runs"


@dataclass(frozen=True)
class Run:
    """The records of a test runner, in order, and the seconds that it took."""

    records: list[dict[str, Any]]
    seconds: float


class RunStore:
    """The runs that a report folder holds.

    Args:
        folder: the report folder; None keeps nothing.
        again: do not use the runs of earlier calls.
    """

    def __init__(self, folder: Path | None, *, again: bool = False) -> None:
        self.folder = folder and folder / FOLDER
        self.again = again

    def find(self, key: str) -> Run | None:
        """The run with this key; None when it is not there, or damaged."""
        if self.folder is None or self.again:
            return None
        try:
            fields = json.loads((self.folder / f"{key}.json").read_bytes())
            return Run(list(fields["records"]), float(fields["seconds"]))
        except (OSError, ValueError, KeyError, TypeError):
            return None

    def keep(self, key: str, run: Run) -> None:
        """Write a run.

        Raises:
            SavingError: the folder cannot be written to.
        """
        if self.folder is not None:
            self.folder.mkdir(parents=True, exist_ok=True)
            text = json.dumps({"seconds": run.seconds, "records": run.records})
            write_file(self.folder / f"{key}.json", [text.encode()])


def fingerprint(parts: Iterable[bytes]) -> str:
    """A key for these parts; the same parts with other borders between them have another."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest()


def folder_fingerprint(folder: Path) -> str:
    """A key for the names and contents of all files in a folder, without compiled ones."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and path.suffix != ".pyc")
    names = (path.relative_to(folder).as_posix().encode() for path in files)
    return fingerprint(part for name, path in zip(names, files) for part in (name, path.read_bytes()))
