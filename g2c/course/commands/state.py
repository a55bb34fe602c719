"""Stores facts between calls of the `g2c` command: small JSON files in .g2c/, which git ignores.

    results.json    the results of each suite; see g2c.course.testing.runs
    passing.json    "keys" of the exercises that passed when they were last shown
    hints.json      key of an exercise or answer -> how many hints were "shown", and the hash of the "code" at that time
    answers.json    name of a notebook -> names of the answers that passed their latest check

Nothing here raises an error: a file that is missing, damaged or not writable counts as never written.
"""

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from g2c.common import paths
from g2c.common.files import sha256_of


def read(name: str) -> dict[str, Any]:
    """Return the dictionary stored under `name`; an empty one when there is none."""
    try:
        state: dict[str, Any] = json.loads(_path(name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return state


def write(name: str, /, **entries: Any) -> None:
    """Store these entries in the dictionary under `name`, which keeps its other entries."""
    path = _path(name)
    temporary = path.with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        temporary.write_text(json.dumps({**read(name), **entries}, indent=1), encoding="utf-8")
        temporary.replace(path)


def _path(name: str) -> Path:
    return paths.REPOSITORY / ".g2c" / f"{name}.json"


def hints_shown(task: Any) -> int:
    """Return how many hints for a task, an exercise or an answer in a notebook, the student has seen."""
    shown: int = read("hints").get(task.key, {"shown": 0})["shown"]
    return min(shown, len(task.hints))


def next_hint(task: Any, *, more: bool) -> tuple[int, bool]:
    """Count another hint as shown, after another try, which changes the exercise file, or with `more`.

    Returns how many hints to show now, and whether the last of them is new.
    """
    file, before = task.module.exercise_file, hints_shown(task)
    code = sha256_of(file.read_bytes() if file.is_file() else b"")
    is_changed = code != read("hints").get(task.key, {"code": ""})["code"]
    is_new = before < len(task.hints) and (more or is_changed)
    if is_new:
        write("hints", **{task.key: {"shown": before + 1, "code": code}})
    return before + is_new, is_new
