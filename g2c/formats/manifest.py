"""manifest.json: what the files of an artifact are and came from, with a checksum of each.

It contains no time and no path, so the same tokenizer, token IDs and corpus give the same bytes on every machine.
"""

import hashlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any, Self

import numpy
from numpy.typing import NDArray

from g2c.common.errors import FileFormatError
from g2c.common.files import parse_json, read_file, sha256_of
from g2c.common.text import DOCUMENT_SEPARATOR, printable
from g2c.formats.table import Table
from g2c.formats.token_ids import IDS_FILE
from g2c.formats.tokenizer_json import CONFIG_FILE, TEMPLATE_FILE, TOKENIZER_FILE

CHECKSUMS = {TOKENIZER_FILE: "sha256", CONFIG_FILE: "config_sha256", TEMPLATE_FILE: "template_sha256"}
"""File -> the name of its checksum in the "tokenizer" part of manifest.json."""

MANIFEST_VERSION = 1


class IdSummary:
    """Collects what manifest.json says about the token IDs, in one pass, while they are written or read.

    `unknown` is the first ID that the tokenizer does not have, with its position, for a message.
    """

    def __init__(self, table: Table) -> None:
        self.separator_id = table.special_to_id.get(DOCUMENT_SEPARATOR)
        self.digest = hashlib.sha256()
        self.count = self.documents = 0
        self.min_id: int | None = None
        self.max_id: int | None = None
        self.unknown: str | None = None
        self._inside_document = False
        others = [*table.special_to_id.values(), *table.whole.values()]
        self._known = numpy.sort(numpy.append(table.ids, numpy.array(others, numpy.int64)))
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


@dataclass(frozen=True)
class Manifest:
    """The parts of manifest.json. `more` are parts and `ids`, `documents` and `tokenizer` may have entries that this
    program does not know; they are kept."""

    ids: dict[str, Any]
    documents: dict[str, Any]
    tokenizer: dict[str, Any]
    corpus: dict[str, Any] | None
    train: dict[str, Any]
    software: dict[str, Any]
    more: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, table: Table, files: Mapping[str, bytes], ids: IdSummary, origin: Mapping[str, Any]) -> Self:
        """Describe an artifact. `ids` has seen all IDs; `origin` has "corpus", "train" and "software"."""
        template = files.get(TEMPLATE_FILE)
        return cls(
            ids={
                "file": IDS_FILE,
                "dtype": "uint32",
                "byte_order": "little",
                "count": ids.count,
                "min_id": ids.min_id,
                "max_id": ids.max_id,
                "sha256": ids.digest.hexdigest(),
            },
            documents={"count": ids.documents, "separator_id": ids.separator_id},
            tokenizer={
                "file": TOKENIZER_FILE,
                "sha256": sha256_of(files[TOKENIZER_FILE]),
                "config_file": CONFIG_FILE,
                "config_sha256": sha256_of(files[CONFIG_FILE]),
                "template_file": None if template is None else TEMPLATE_FILE,
                "template_sha256": None if template is None else sha256_of(template),
                "vocab_size": len(table.ids) + len(table.special_to_id) + len(table.whole),
                "special_tokens": list(table.special_to_id),
                "num_merges": len(table.left),
                "pattern": table.pattern,
            },
            **origin,
        )

    @classmethod
    def read(cls, path: Path) -> Self:
        """Read a manifest.json. File names in it are not used.

        Raises MissingFileError if there is none, and FileFormatError if it is of another version or not a manifest.
        """
        content = parse_json(read_file(path), path)
        version = content.pop("version", None) if isinstance(content, dict) else None
        if version != MANIFEST_VERSION:
            what = "is not the manifest of an artifact" if version is None else f"has version {printable(version)}"
            raise FileFormatError(
                f"{path} {what}, but this program reads version {MANIFEST_VERSION}. Update the course, or train and "
                "save the artifact again."
            )
        parts = {name: content.pop(name, None) for name in (part.name for part in fields(cls)) if name != "more"}
        for name, part in parts.items():
            if not isinstance(part, dict) and not (name == "corpus" and part is None):
                raise FileFormatError(f"{path} has {part!r:.200} as {name}, which should be an object.")
        return cls(**parts, more=content)

    def content(self) -> dict[str, Any]:
        """Return what manifest.json contains."""
        parts = asdict(self)
        more = parts.pop("more")
        return {"version": MANIFEST_VERSION, **parts, **more}

    def difference(self, actual: "Manifest") -> str | None:
        """Say where this disagrees with what the files are, as a clause for a message; None if it agrees."""
        for part in ("ids", "documents", "tokenizer"):
            stated = getattr(self, part)
            for name, value in getattr(actual, part).items():
                if type(stated.get(name)) is not type(value) or stated[name] != value:
                    return f"{part}.{name} is {stated.get(name)!r:.200}, but it should be {value!r:.200}"
        return None


def read_manifest(path: Path) -> dict[str, Any]:
    """Read the content of a manifest.json. Raises what `Manifest.read` raises."""
    return Manifest.read(path).content()
