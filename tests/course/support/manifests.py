"""Artifacts whose manifest.json was changed on purpose."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from g2c.common.files import sha256_of
from g2c.formats.tokenizer_json import json_bytes


def change_manifest(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """Change manifest.json of an artifact, and give it a checksum that fits."""
    path = folder / "manifest.json"
    manifest = json.loads(path.read_text(encoding="utf-8"))
    manifest.pop("sha256_of_the_above")
    change(manifest)
    path.write_bytes(json_bytes({**manifest, "sha256_of_the_above": sha256_of(json_bytes(manifest))}))
