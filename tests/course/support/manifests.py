"""Artifacts whose manifest.json was changed on purpose."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from g2c.formats.tokenizer_json import json_bytes


def change_manifest(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change manifest.json of an artifact."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    change(manifest)
    path.write_bytes(json_bytes(manifest))
