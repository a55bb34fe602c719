"""manifest.json: what the files of an artifact are and came from, with a checksum of each file and of itself.

It contains no time and no path, so the same tokenizer, token IDs and corpus give the same bytes on every machine.
"""

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy
from numpy.typing import NDArray

from g2c.common.errors import FileFormatError
from g2c.common.files import parse_json, read_file, sha256_of
from g2c.common.text import DOCUMENT_SEPARATOR, printable
from g2c.formats.chat import has_chat_tokens
from g2c.formats.token_ids import IDS_FILE
from g2c.formats.tokenizer_json import CONFIG_FILE, MAX_JSON, TEMPLATE_FILE, TOKENIZER_FILE, fingerprint, json_bytes
from g2c.tokenizer.base import BPEBase

CHECKSUMS = {TOKENIZER_FILE: "sha256", CONFIG_FILE: "config_sha256", TEMPLATE_FILE: "template_sha256"}
"""File -> the name of its checksum in the "tokenizer" part of manifest.json."""

_VERSION = 1
_PARTS = ("version", "ids", "documents", "tokenizer", "corpus", "train", "software", "sha256_of_the_above")


class IdSummary:
    """Collects what manifest.json says about the token IDs, in one pass, while they are written or read.

    `unknown` is the first ID that the tokenizer does not have, with its position, for a message.
    """

    def __init__(self, tokenizer: BPEBase) -> None:
        self.separator_id = tokenizer.special_to_id.get(DOCUMENT_SEPARATOR)
        self.digest = hashlib.sha256()
        self.count = self.documents = 0
        self.min_id: int | None = None
        self.max_id: int | None = None
        self.unknown: str | None = None
        self._inside_document = False
        self._known = numpy.sort(numpy.fromiter(tokenizer.vocab, numpy.int64, len(tokenizer.vocab)))
        # Published tokenizers have gaps between their highest IDs.
        in_place = self._known == numpy.arange(len(self._known))
        self._first_gap = len(in_place) if in_place.all() else int(numpy.argmin(in_place))

    def add(self, block: NDArray[numpy.uint32]) -> None:
        """Add the next IDs, little-endian. Blocks of up to `BLOCK_IDS` stay in the processor's cache."""
        if not block.size:
            return
        low, high = int(block.min()), int(block.max())
        self.min_id = low if self.min_id is None else min(self.min_id, low)
        self.max_id = high if self.max_id is None else max(self.max_id, high)
        if high >= self._first_gap and not self.unknown:
            for at in numpy.flatnonzero(numpy.isin(block, self._known, invert=True))[:1]:
                self.unknown = f"ID {block[at]} at position {self.count + at}"
        self.count += block.size
        self.digest.update(block.data)
        # A document is a run of IDs without a separator. The first run may continue the previous block's last one.
        ends = numpy.flatnonzero(block == self.separator_id) if self.separator_id is not None else numpy.zeros(0, int)
        has_ids = numpy.diff(ends, prepend=-1, append=block.size) > 1
        self.documents += int(numpy.count_nonzero(has_ids)) - int(has_ids[0] and self._inside_document)
        self._inside_document = bool(has_ids[-1])


def manifest_content(
    tokenizer: BPEBase, files: Mapping[str, bytes], ids: IdSummary, origin: Mapping[str, Any]
) -> dict[str, Any]:
    """Compute the content of manifest.json. `ids` has seen all IDs; `origin` has "corpus", "train" and "software"."""
    template = files.get(TEMPLATE_FILE) if has_chat_tokens(tokenizer) else None
    manifest = {
        "version": _VERSION,
        "ids": {
            "file": IDS_FILE,
            "dtype": "uint32",
            "byte_order": "little",
            "count": ids.count,
            "min_id": ids.min_id,
            "max_id": ids.max_id,
            "sha256": ids.digest.hexdigest(),
        },
        "documents": {"count": ids.documents, "separator_id": ids.separator_id},
        "tokenizer": {
            "file": TOKENIZER_FILE,
            "sha256": sha256_of(files[TOKENIZER_FILE]),
            "config_file": CONFIG_FILE,
            "config_sha256": sha256_of(files[CONFIG_FILE]),
            "template_file": None if template is None else TEMPLATE_FILE,
            "template_sha256": None if template is None else sha256_of(template),
            "fingerprint": fingerprint(tokenizer),
            "vocab_size": tokenizer.vocab_size,
            "special_tokens": list(tokenizer.special_tokens),
            "num_merges": len(tokenizer.merges),
            # A tuple of regexes becomes a list.
            "pattern": tokenizer.pattern,
        },
        **origin,
    }
    return {**manifest, "sha256_of_the_above": sha256_of(json_bytes(manifest))}


def read_manifest(path: Path) -> dict[str, Any]:
    """Read a manifest.json, and check it against its own checksum. File names in it are not used.

    Raises MissingFileError if there is none, and FileFormatError if it has another version or was changed.
    """
    data = read_file(path, limit=MAX_JSON)
    manifest = parse_json(data, path)
    if not isinstance(manifest, dict) or tuple(manifest) != _PARTS:
        raise FileFormatError(f"{path} is not the manifest of an artifact: its parts should be {', '.join(_PARTS)}.")
    for part in _PARTS[1:-1]:
        if not isinstance(manifest[part], dict) and not (part == "corpus" and manifest[part] is None):
            raise FileFormatError(f"{path} has {manifest[part]!r:.200} as {part}, which should be an object.")
    if manifest["version"] != _VERSION:
        raise FileFormatError(
            f"{path} has version {manifest['version']!r:.200}, but this program reads version {_VERSION}. "
            "Update the course, or train and save the artifact again."
        )
    above = {part: manifest[part] for part in _PARTS[:-1]}
    if manifest["sha256_of_the_above"] != sha256_of(json_bytes(above)) or data != json_bytes(manifest):
        raise FileFormatError(
            f"{path} was changed after it was written: its own checksum does not match. "
            "Copy the artifact again from its source, or train and save it again."
        )
    return manifest


def first_difference(manifest: dict[str, Any], expected: dict[str, Any], name: str = "") -> str | None:
    """Say where manifest.json first disagrees with the files, as a clause for a message; None if it agrees."""
    for part in manifest | expected:
        stated, actual, place = manifest.get(part), expected.get(part), f"{name}{printable(part)}"
        if isinstance(stated, dict) and isinstance(actual, dict):
            if difference := first_difference(stated, actual, f"{place}."):
                return difference
        # Compared as JSON, because 1, 1.0 and True are equal in Python.
        elif json.dumps(stated) != json.dumps(actual):
            return f"{place} is {stated!r:.200}, but it should be {actual!r:.200}"
    return None
