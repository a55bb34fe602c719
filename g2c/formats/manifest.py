"""manifest.json: what the files of an artifact are and came from, with a checksum of each.

It contains no time and no path, so the same tokenizer, token IDs and corpus give the same bytes on every machine.
"""

import hashlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy
import tokenizers
from numpy.typing import NDArray

from coach.common.errors import FileFormatError
from coach.common.files import parse_json, read_file, sha256_of
from g2c import __version__
from g2c.common.text import DOCUMENT_SEPARATOR, Corpus
from g2c.formats.table import Table
from g2c.formats.token_ids import IDS_FILE
from g2c.formats.tokenizer_json import CONFIG_FILE, TOKENIZER_FILE

MANIFEST_VERSION = 1
PARTS = ("ids", "documents", "tokenizer", "corpus", "train", "software")  # "corpus" may be null.


class IdSummary:
    """Collects what manifest.json says about the token IDs, while they are written or read. `unknown` is the first ID
    that the tokenizer does not have, with its position, for a message."""

    def __init__(self, table: Table) -> None:
        self.separator_id = table.special_to_id.get(DOCUMENT_SEPARATOR)
        self.digest = hashlib.sha256()
        self.count = self.documents = 0
        self.extremes: list[int] = []  # The lowest and the highest ID of each block.
        self.unknown: str | None = None
        self._is_inside = False
        all_ids = [*table.ids.tolist(), *table.special_to_id.values(), *table.whole.values()]
        self._is_known = numpy.zeros(max(all_ids) + 2, bool)
        self._is_known[all_ids] = True
        # Published tokenizers have gaps between their highest IDs.
        self._first_gap = int(self._is_known.argmin())

    def add(self, block: NDArray[numpy.uint32]) -> None:
        """Add the next IDs, little-endian, of which there are one to `BLOCK_IDS`."""
        self.extremes += [int(block.min()), int(block.max())]
        if self.extremes[-1] >= self._first_gap and not self.unknown:
            is_known = self._is_known[numpy.minimum(block, len(self._is_known) - 1)]
            if not is_known.all():
                at = int(is_known.argmin())
                self.unknown = f"ID {block[at]} at position {self.count + at}"
        self.count += block.size
        self.digest.update(block.data)
        # A document is a run of IDs without a separator.
        is_inside = block != (-1 if self.separator_id is None else self.separator_id)
        begins = is_inside & ~numpy.append(self._is_inside, is_inside[:-1])
        self.documents += int(numpy.count_nonzero(begins))
        self._is_inside = bool(is_inside[-1])


def manifest_of(
    table: Table, files: Mapping[str, bytes], ids: IdSummary, corpus: Corpus | None, train: Mapping[str, Any] | None
) -> dict[str, Any]:
    """Make the content of manifest.json. `ids` has seen all IDs of the corpus, which is None if it is unknown."""
    described = corpus and {"name": corpus.name, "bytes": corpus.size, "sha256": corpus.sha256, **(corpus.facts or {})}
    return {
        "version": MANIFEST_VERSION,
        "ids": {
            "file": IDS_FILE,
            "dtype": "uint32",
            "byte_order": "little",
            "count": ids.count,
            "min_id": min(ids.extremes, default=None),
            "max_id": max(ids.extremes, default=None),
            "sha256": ids.digest.hexdigest(),
        },
        "documents": {"count": ids.documents, "separator_id": ids.separator_id},
        "tokenizer": {
            "file": TOKENIZER_FILE,
            "sha256": sha256_of(files[TOKENIZER_FILE]),
            "config_file": CONFIG_FILE,
            "config_sha256": sha256_of(files[CONFIG_FILE]),
            "vocab_size": len(table.ids) + len(table.special_to_id) + len(table.whole),
            "special_tokens": list(table.special_to_id),
            "num_merges": len(table.left),
            "pattern": table.pattern,
        },
        "corpus": described,
        "train": dict(train or {}),
        "software": {"g2c": __version__, "tokenizers": tokenizers.__version__},
    }


def read_manifest(path: Path) -> dict[str, Any]:
    """Read the content of a manifest.json, with what this program does not know. Raises MissingFileError if there is
    none, and FileFormatError if it is of another version or not a manifest."""
    content = parse_json(read_file(path), path)
    version = content.get("version") if isinstance(content, dict) else None
    if version != MANIFEST_VERSION:
        what = "is not the manifest of an artifact" if version is None else f"has version {version}"
        raise FileFormatError(
            f"{path} {what}, but this program reads version {MANIFEST_VERSION}. Update the course, or train and "
            "save the artifact again."
        )
    for name in PARTS:
        part = content.setdefault(name, None)
        if not isinstance(part, dict) and (name, part) != ("corpus", None):
            raise FileFormatError(f"{path} has {part!r:.200} as {name}, which should be an object.")
    return dict(content)
