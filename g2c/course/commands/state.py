"""What the `g2c` command stores between calls: small JSON files in .g2c/, which git ignores.

No failure here raises an error: a file that is missing, damaged or not writable counts as never written.
"""

import contextlib
import json
import os
from pathlib import Path
from typing import Any

from g2c.common import paths


def read(name: str) -> dict[str, Any]:
    """The dictionary last written under `name`; empty when there is none."""
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
