"""Stores facts between calls of the `g2c` command: small JSON files in .g2c/, which git ignores.

    passing.json    ID of a module -> what its last run showed; see coach.standing
    hints.json      key of an exercise or answer -> how many of its hints were shown
    answers.json    name of a notebook -> names of the answers that passed their latest check

Nothing here raises an error: a file that is missing, damaged or not writable counts as never written.
"""

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from coach.common import paths


def read(name: str) -> dict[str, Any]:
    """Return the dictionary stored under `name`; an empty one when there is none."""
    try:
        state = json.loads(_path(name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return state if isinstance(state, dict) else {}


def write(name: str, /, **entries: Any) -> None:
    """Store these entries in the dictionary under `name`, which keeps its other entries."""
    path = _path(name)
    temporary = path.with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        temporary.write_text(json.dumps({**read(name), **entries}, indent=1), encoding="utf-8")
        temporary.replace(path)


def folder() -> Path:
    """Return the folder of these files, which need not exist."""
    return paths.REPOSITORY / ".g2c"


def _path(name: str) -> Path:
    return folder() / f"{name}.json"


def hints_shown(task: Any) -> int:
    """Return how many hints for a task, an exercise or an answer in a notebook, the student has seen."""
    shown = read("hints").get(task.key, 0)
    return min(shown, len(task.hints)) if isinstance(shown, int) else 0


def next_hint(task: Any) -> int:
    """Count one more hint as shown, if there is one. Returns how many to show now."""
    number = min(hints_shown(task) + 1, len(task.hints))
    write("hints", **{task.key: number})
    return number
