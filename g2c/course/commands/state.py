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
from g2c.course.exercises import modules


def read(name: str) -> dict[str, Any]:
    """Return the dictionary last written under `name`; an empty one when there is none."""
    try:
        state: dict[str, Any] = json.loads(_path(name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return state


def write(name: str, state: dict[str, Any]) -> None:
    """Store a dictionary under `name`, replacing the previous one."""
    path = _path(name)
    temporary = path.with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        temporary.write_text(json.dumps(state, indent=1), encoding="utf-8")
        temporary.replace(path)


def _path(name: str) -> Path:
    return paths.REPOSITORY / ".g2c" / f"{name}.json"


# --- hints ------------------------------------------------------------------------------------------------------------


def hints_shown(task: Any) -> int:
    """Return how many hints for a task, an exercise or an answer in a notebook, the student has seen."""
    return _entry(task)[0]


def next_hint(task: Any, *, more: bool) -> tuple[int, bool]:
    """Count another hint as shown, after another try, which changes the exercise file, or with `more`.

    Returns how many hints to show now, and whether the last of them is new.
    """
    file = modules()[task.module_id].exercise_file
    code = sha256_of(file.read_bytes() if file.is_file() else b"")
    before, code_before = _entry(task)
    is_new = before < len(task.hints) and (more or before == 0 or code != code_before)
    number = before + is_new
    entry = {"shown": number, "code": code if is_new else code_before}
    write("hints", {**read("hints"), task.key: entry})
    return number, is_new


def _entry(task: Any) -> tuple[int, str]:
    entry = read("hints").get(task.key, {"shown": 0, "code": ""})
    return min(entry["shown"], len(task.hints)), entry["code"]
