"""What the `g2c` command remembers from one call to the next: small JSON files in .g2c/, which git ignores.

Nothing here is worth an error: a file that is missing, damaged or cannot be written counts as never written.
"""

import contextlib
import json
import os

from g2c.common import paths


def read(name: str) -> dict:
    """The dictionary last written under `name`; an empty one when there is none."""
    try:
        state = json.loads(_path(name).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return state if isinstance(state, dict) else {}


def write(name: str, state: dict) -> None:
    """Keep a dictionary under `name`, in place of the one before."""
    path = _path(name)
    temporary = path.with_suffix(f".{os.getpid()}")
    with contextlib.suppress(OSError):
        path.parent.mkdir(exist_ok=True)
        temporary.write_text(json.dumps(state, indent=1), encoding="utf-8")
        temporary.replace(path)


def _path(name: str):
    return paths.REPOSITORY / ".g2c" / f"{name}.json"
