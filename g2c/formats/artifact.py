"""An artifact: a tokenizer together with the corpus that it encoded, in one folder.

    artifacts/tokenizers/NAME/
        tokenizer.json          the tokenizer, as Hugging Face `tokenizers` writes it
        tokenizer_config.json   what transformers wants to know beside it
        chat_template.jinja     how a conversation is written, when the tokenizer has the course's special tokens
        ids.uint32              the corpus as token IDs: four bytes each, little-endian, no header
        manifest.json           what these files are and came from, with a checksum of each

Every function checks before it writes and writes all or nothing: a full disk or a kill in the middle leaves what was
there before. What is read is checked before it is believed.
"""

import hashlib
import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy
import tokenizers

from g2c import __version__
from g2c.common.errors import FileFormatError, MissingFileError, SavingError
from g2c.common.files import parse_json, read_file, replacing_folder, restore_folder, write_flushed
from g2c.common.paths import artifacts_folder
from g2c.common.text import DOCUMENT_SEPARATOR
from g2c.formats.token_ids import BLOCK, IDS_FILE, blocks_of, known_ids, load_token_ids, token_id_blocks, unknown_ids
from g2c.formats.tokenizer_json import (
    CONFIG_FILE,
    LARGEST_JSON,
    MANIFEST_FILE,
    TEMPLATE_FILE,
    TOKENIZER_FILE,
    fingerprint,
    json_bytes,
    parse_tokenizer,
    render_files,
)
from g2c.formats.validity import check_tokenizer
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.chat import has_chat_tokens

ARTIFACT_FILES = (TOKENIZER_FILE, CONFIG_FILE, TEMPLATE_FILE, IDS_FILE, MANIFEST_FILE)

_MANIFEST_VERSION = 1


class Artifact(NamedTuple):
    """A tokenizer together with the corpus that it encoded, as `load_artifact` reads them."""

    tokenizer: BPEBase
    ids: numpy.ndarray
    manifest: dict[str, Any]
    path: Path


class CorpusFacts(Protocol):
    """What manifest.json says about the corpus. `g2c.corpus.corpora.Corpus` has it."""

    @property
    def name(self) -> str: ...

    @property
    def size(self) -> int:
        """Bytes of UTF-8."""

    @property
    def sha256(self) -> str:
        """Of these bytes, in hexadecimal."""


def save_artifact(
    tokenizer: BPEBase,
    name_or_folder: str | os.PathLike[str],
    ids: Iterable[int],
    *,
    corpus: CorpusFacts | None = None,
    train: Mapping[str, Any] | None = None,
) -> Path:
    """Write a tokenizer and its encoded corpus as one folder, in place of the one that is there.

    The folder appears whole or not at all. The same tokenizer, IDs, corpus and training give the same files, byte for
    byte.

    Args:
        tokenizer: the tokenizer.
        name_or_folder: a name, such as "ShakespeareTokenizer", stands for the folder of that name among the course's
            artifacts (`artifacts/tokenizers/`). Anything with a "/" in it, or a `Path`, is the folder itself.
        ids: the token IDs of the corpus: an array, a list, or any iterable of integers.
        corpus: what was encoded, as `g2c.corpus.corpora.load_corpus` gives it: name, size and checksum go into
            manifest.json.
        train: how the tokenizer was trained, for manifest.json: algorithm, ties, vocab_size and so on.

    Returns:
        the folder.

    Raises:
        TypeError, ValueError: the tokenizer is not in a valid state, or an ID is not one of its tokens.
        CourseError: the folder holds files that are no part of an artifact, and that would be lost.
        SavingError: the disk is full, the folder is read-only, ...
    """
    check_tokenizer(tokenizer)
    summary = IdSummary(tokenizer)

    def write_ids(path: Path) -> None:
        write_flushed(path, summary.passing(token_id_blocks(ids, tokenizer)))

    return write_artifact(tokenizer, artifact_folder(name_or_folder), write_ids, summary, corpus=corpus, train=train)


def write_artifact(
    tokenizer: BPEBase,
    folder: Path,
    write_ids: Callable[[Path], None],
    summary: "IdSummary",
    *,
    corpus: CorpusFacts | None = None,
    train: Mapping[str, Any] | None = None,
) -> Path:
    """The part of `save_artifact` that also serves IDs which are in a file already.

    Args:
        write_ids: is called with the path at which it has to make the file of token IDs.
        summary: has seen all IDs when `write_ids` returns.
    """
    origin = {
        "corpus": None if corpus is None else {"name": corpus.name, "bytes": corpus.size, "sha256": corpus.sha256},
        "train": dict(train or {}),
        "software": {"g2c": __version__, "tokenizers": tokenizers.__version__},
    }
    json.dumps(origin)  # a TypeError here comes before anything is written
    check_replaceable(folder)
    files = render_files(tokenizer)
    with replacing_folder(folder) as new:
        for name, data in files.items():
            write_flushed(new / name, [data])
        write_ids(new / IDS_FILE)
        manifest = describe(tokenizer, files, summary, origin)
        write_flushed(new / MANIFEST_FILE, [json_bytes(manifest)])
    return folder


def load_artifact(
    name_or_folder: str | os.PathLike[str], *, mmap: bool = False, cls: type[BPEBase] | None = None
) -> Artifact:
    """Read what `save_artifact` wrote, after checking every byte of it against manifest.json.

    Args:
        name_or_folder: as for `save_artifact`.
        mmap: True leaves the IDs on the disk, see `load_token_ids`.
        cls: the class of the tokenizer; None: `g2c.tokenizer.BPETokenizer`.

    Returns:
        (tokenizer, ids, manifest, path)

    Raises:
        MissingFileError: there is no such artifact, or one of its files is missing.
        FileFormatError: a file is not the one that was saved. The sentence names it and what differs.
    """
    folder = artifact_folder(name_or_folder)
    while True:
        restore_folder(folder)
        before = _identity(folder)
        if before is None:
            raise MissingFileError(f"There is no artifact {folder}. Check the name, or train and save it first.")
        try:
            return _read_artifact(folder, mmap, cls)
        except (FileFormatError, MissingFileError):
            # Another process may have replaced the folder while its files were read one by one: then read the new one.
            if _identity(folder) == before:
                raise


def _read_artifact(folder: Path, mmap: bool, cls: type[BPEBase] | None) -> Artifact:
    manifest = read_manifest(folder / MANIFEST_FILE)
    names = [name for name in CHECKSUMS if name != TEMPLATE_FILE or manifest["tokenizer"].get(CHECKSUMS[name])]
    files = {name: read_file(folder / name, limit=LARGEST_JSON) for name in names}
    for name, data in files.items():
        _check_sum(folder / name, _sha256(data), manifest["tokenizer"], CHECKSUMS[name])
    tokenizer = parse_tokenizer(files[TOKENIZER_FILE], folder / TOKENIZER_FILE, cls)

    summary = IdSummary(tokenizer)
    ids = load_token_ids(folder / IDS_FILE, mmap=mmap)
    known = known_ids(tokenizer)
    foreign: int | None = None
    for block in blocks_of(ids, BLOCK):
        summary.add(block)
        unknown = block[unknown_ids(block, known)]
        if foreign is None and unknown.size:
            foreign = int(unknown[0])
    _check_sum(folder / IDS_FILE, summary.digest.hexdigest(), manifest["ids"], "sha256")
    if foreign is not None:
        raise FileFormatError(
            f"{folder / IDS_FILE} holds the ID {foreign}, which is none of the tokenizer's beside it; those are 0 to "
            f"{known[-1]}. Train and save the artifact again."
        )
    origin = {part: manifest[part] for part in ("corpus", "train", "software")}
    expected = describe(tokenizer, files, summary, origin)
    for part, entries in expected.items():
        if json.dumps(manifest[part]) != json.dumps(entries):
            raise FileFormatError(
                f"{folder / MANIFEST_FILE} does not fit the files beside it: "
                f"{difference(part, manifest[part], entries)}. Train and save the artifact again."
            )
    return Artifact(tokenizer, ids, manifest, folder)


class IdSummary:
    """What manifest.json says about the IDs, gathered in one pass."""

    def __init__(self, tokenizer: BPEBase) -> None:
        self.separator_id = tokenizer.special_to_id.get(DOCUMENT_SEPARATOR)
        self.digest = hashlib.sha256()
        self.count = 0
        self.min_id: int | None = None
        self.max_id: int | None = None
        self.documents = 0
        self._inside_document = False

    def add(self, block: numpy.ndarray) -> None:
        if not block.size:
            return
        low, high = int(block.min()), int(block.max())
        self.min_id = low if self.min_id is None else min(self.min_id, low)
        self.max_id = high if self.max_id is None else max(self.max_id, high)
        self.count += block.size
        self.digest.update(block)
        # A document is a run of IDs without a separator in it; the first may have begun in the block before.
        ends = numpy.flatnonzero(block == self.separator_id) if self.separator_id is not None else []
        has_ids = numpy.diff(ends, prepend=-1, append=block.size) > 1
        self.documents += int(numpy.count_nonzero(has_ids)) - int(has_ids[0] and self._inside_document)
        self._inside_document = bool(has_ids[-1])

    def passing(self, blocks: Iterable[numpy.ndarray]) -> Iterator[bytes]:
        for block in blocks:
            self.add(block)
            yield block.tobytes()


CHECKSUMS = {TOKENIZER_FILE: "sha256", CONFIG_FILE: "config_sha256", TEMPLATE_FILE: "template_sha256"}
"""File -> where manifest.json has its checksum, in the part "tokenizer"."""


def describe(tokenizer: BPEBase, files: Mapping[str, bytes], ids: IdSummary, origin: dict[str, Any]) -> dict[str, Any]:
    """The content of manifest.json. Computed on saving, and again on loading to compare.

    `files` holds the content of the files of `render_files`, as they are on the disk.
    """
    template = files.get(TEMPLATE_FILE) if has_chat_tokens(tokenizer) else None
    manifest = {
        "version": _MANIFEST_VERSION,
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
            "sha256": _sha256(files[TOKENIZER_FILE]),
            "config_file": CONFIG_FILE,
            "config_sha256": _sha256(files[CONFIG_FILE]),
            "template_file": None if template is None else TEMPLATE_FILE,
            "template_sha256": None if template is None else _sha256(template),
            "fingerprint": fingerprint(tokenizer),
            "vocab_size": tokenizer.vocab_size,
            "special_tokens": list(tokenizer.special_tokens),
            "num_merges": len(tokenizer.merges),
            "pattern": tokenizer.pattern,
        },
        **origin,
    }
    return {**manifest, "sha256_of_the_above": _sha256(json_bytes(manifest))}


def read_manifest(path: Path) -> dict[str, Any]:
    """manifest.json, checked against its own checksum. Files are looked up by fixed names, never by what it says."""
    data = read_file(path, limit=LARGEST_JSON)
    manifest = parse_json(data, path)
    parts = ("version", "ids", "documents", "tokenizer", "corpus", "train", "software", "sha256_of_the_above")
    if not isinstance(manifest, dict) or tuple(manifest) != parts:
        raise FileFormatError(f"{path} is not the manifest of an artifact: its parts should be {', '.join(parts)}.")
    for part in parts[1:-1]:
        if not isinstance(manifest[part], dict) and not (part == "corpus" and manifest[part] is None):
            raise FileFormatError(f"{path} has {manifest[part]!r} as {part}, which should be an object.")
    if manifest["version"] != _MANIFEST_VERSION:
        raise FileFormatError(
            f"{path} has the version {manifest['version']!r}, and this program reads {_MANIFEST_VERSION}. "
            "Update the course, or train and save the artifact again."
        )
    above = {part: manifest[part] for part in parts[:-1]}
    if manifest["sha256_of_the_above"] != _sha256(json_bytes(above)) or data != json_bytes(manifest):
        raise FileFormatError(
            f"{path} was changed after it was written: its own checksum does not fit. "
            "Copy the artifact again from where it came, or train and save it again."
        )
    return manifest


def _check_sum(path: Path, found: str, entries: dict[str, Any], name: str) -> None:
    expected = entries.get(name)
    if expected != found:
        raise FileFormatError(
            f"{path} is not the file that was saved: its SHA-256 begins with {found[:12]}, in {MANIFEST_FILE} with "
            f"{str(expected)[:12]}. Copy the artifact again from where it came, or train and save it again."
        )


def difference(part: str, said: Any, found: Any) -> str:
    """Where a part of manifest.json is not as it should be."""
    if isinstance(said, dict) and isinstance(found, dict):
        for name in (*found, *said):
            if said.get(name) != found.get(name):
                return f"{part}.{name} is {said.get(name)!r}, but it should be {found.get(name)!r}"
    return f"{part} is {said!r}, but it should be {found!r}"


def _sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        status = folder.stat()
    except OSError:
        return None
    return status.st_ino, status.st_ctime_ns


def artifact_folder(name_or_folder: str | os.PathLike[str]) -> Path:
    if isinstance(name_or_folder, str) and os.sep not in name_or_folder:
        name = name_or_folder
        if not name or name.startswith(".") or not name.isprintable():
            raise ValueError(f"{name!r} is not a name for an artifact; use letters and digits, or give a folder.")
        return artifacts_folder() / name
    return Path(name_or_folder)


def check_replaceable(folder: Path) -> None:
    """Saving deletes the old folder, so it must hold nothing but an artifact, and what browsing it leaves there."""
    names, is_something_else = [], False
    try:
        names = os.listdir(folder)
    except FileNotFoundError:
        # Nothing to replace. So it is too for the moment in which another process puts its own artifact in place.
        is_something_else = folder.is_symlink()
    except NotADirectoryError:
        is_something_else = os.path.lexists(folder)
    if is_something_else:
        raise SavingError(f"{folder} is not a folder. Move it away, or save under another name.")
    others = sorted({*names} - {*ARTIFACT_FILES, ".DS_Store", ".ipynb_checkpoints"})
    if others:
        raise SavingError(
            f"{folder} also holds {others[0]!r}, which is no part of an artifact and would be lost. "
            "Move it away, or save under another name."
        )
