"""What the test runner writes: lines of JSON, numbered and signed, which `g2c grade` reads when the runner has ended.

`g2c grade` sends the key of the signature over a pipe that no third process has. Reading stops at the first line that
is missing, changed or added by another process.
"""

import hashlib
import hmac
import json
from pathlib import Path
from typing import IO, Any


class Writer:
    """Writes signed records to a file."""

    def __init__(self, file: IO[str], key: bytes) -> None:
        self.file = file
        self.key = key
        self.number = 0

    def write(self, record: dict[str, Any]) -> None:
        text = json.dumps({**record, "number": self.number})
        print(f"{_sign(self.key, text)} {text}", file=self.file, flush=True)
        self.number += 1


def read(path: Path, key: bytes) -> list[dict[str, Any]]:
    """The records of a file, up to the first line that `Writer` did not write."""
    records: list[dict[str, Any]] = []
    lines = path.read_text(encoding="utf-8", errors="replace").splitlines() if path.is_file() else []
    for line in lines:
        signature, _, text = line.partition(" ")
        if not hmac.compare_digest(signature.encode(), _sign(key, text).encode()):
            break
        record = json.loads(text)
        if record["number"] != len(records):
            break
        records.append(record)
    return records


def _sign(key: bytes, text: str) -> str:
    return hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
