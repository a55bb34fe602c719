"""An artifact: a tokenizer and the corpus that it encoded, in one folder.

    artifacts/tokenizers/NAME/
        tokenizer.json          the tokenizer, in the format of Hugging Face `tokenizers`
        tokenizer_config.json   additional settings for transformers
        ids.uint32              the corpus as token IDs: four bytes each, little-endian, no header
        manifest.json           what these files are and came from, with a checksum of each

A folder is written completely or not at all: if the disk fills up or the process is killed, the old content is still
there.
"""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

import numpy
from numpy.typing import NDArray

from coach.common.errors import FileFormatError, MissingFileError, SavingError, did_you_mean
from coach.common.files import check_not_current, read_file, replacing_folder, saving, sha256_of, write_flushed
from coach.common.paths import artifacts_folder
from g2c.common.text import Corpus
from g2c.formats.manifest import IdSummary, manifest_of, read_manifest
from g2c.formats.table import Table
from g2c.formats.token_ids import IDS_FILE, id_blocks, read_ids
from g2c.formats.tokenizer_json import (
    CONFIG_FILE,
    MANIFEST_FILE,
    TOKENIZER_FILE,
    json_bytes,
    render_files,
    table_of_file,
)
from g2c.tokenizer.base import BPEBase

ARTIFACT_FILES = (TOKENIZER_FILE, CONFIG_FILE, IDS_FILE, MANIFEST_FILE)


class Artifact(NamedTuple):
    """What `load_artifact` has read and checked."""

    tokenizer: BPEBase
    ids: NDArray[numpy.uint32]
    manifest: dict[str, Any]
    path: Path


def save_artifact(
    tokenizer: BPEBase,
    name_or_folder: str | os.PathLike[str],
    ids: Iterable[int],
    *,
    corpus: Corpus | None = None,
    train: Mapping[str, Any] | None = None,
) -> Path:
    """Write the tokenizer and its encoded corpus as one folder, replacing an existing one. Returns the folder.

    Args:
        name_or_folder: a name, such as "ShakespeareTokenizer", is a folder among the course's artifacts
            (`artifacts/tokenizers/`). A `Path`, or a string with a "/", is the folder itself.
        ids: the token IDs of the corpus, in any iterable.
        corpus: what was encoded, for manifest.json; `g2c.corpus.corpora.load_corpus` returns it.
        train: how the tokenizer was trained, for manifest.json: algorithm, vocab_size and so on, as JSON values.

    Raises TypeError or ValueError if the tokenizer's state is not valid, it lacks one of the IDs, or `train` cannot be
    written as JSON, and SavingError if the folder contains other files, which would be lost, or writing fails.
    """
    folder = artifact_folder(name_or_folder)
    return write_artifact(Table.checked(tokenizer), folder, id_blocks(ids), lambda: corpus, train)


def write_artifact(
    table: Table,
    folder: Path,
    ids: Iterable[NDArray[numpy.uint32]],
    corpus: Callable[[], Corpus | None],
    train: Mapping[str, Any] | None,
) -> Path:
    """Write an artifact. `ids` yields blocks of little-endian IDs; `corpus` then describes their text."""
    summary = IdSummary(table)

    def checked_blocks() -> Iterator[memoryview]:
        # A block is checked, counted and written while it is in the processor's cache.
        for block in ids:
            summary.add(block)
            if summary.unknown:
                raise ValueError(f"The {summary.unknown} is not one of the tokenizer's.")
            yield block.data

    check_replaceable(folder)
    files = render_files(table)
    with replacing_folder(folder) as new:
        for name, data in files.items():
            write_flushed(new / name, [data])
        write_flushed(new / IDS_FILE, checked_blocks())
        write_flushed(new / MANIFEST_FILE, [json_bytes(manifest_of(table, files, summary, corpus(), train))])
    return folder


def load_artifact(cls: type[BPEBase], name_or_folder: str | os.PathLike[str], *, mmap: bool = False) -> Artifact:
    """Read what `save_artifact` wrote, and check the files against their SHA-256 in manifest.json.

    `mmap=True` returns the IDs as a read-only `numpy.memmap`, for files larger than memory. Raises MissingFileError if
    the artifact or a file of it is missing, and FileFormatError, which says what differs, if a file is not the one that
    was saved.
    """
    folder = artifact_folder(name_or_folder)
    if not folder.exists():
        raise missing_artifact(folder)
    manifest = read_manifest(folder / MANIFEST_FILE)
    files = {name: read_file(folder / name) for name in (TOKENIZER_FILE, CONFIG_FILE)}
    table = table_of_file(files[TOKENIZER_FILE], folder / TOKENIZER_FILE)
    ids = read_ids(folder / IDS_FILE, mmap=mmap)
    recorded = [*map(manifest["tokenizer"].get, ("sha256", "config_sha256")), manifest["ids"].get("sha256")]
    checksums = [*map(sha256_of, files.values()), sha256_of(ids.data)]
    for name, expected, checksum in zip([*files, IDS_FILE], recorded, checksums):
        if expected != checksum:
            raise FileFormatError(
                f"{folder / name} is not the file that was saved: its SHA-256 begins with {checksum[:12]}, but in "
                f"{folder / MANIFEST_FILE} with {str(expected)[:12]}. Copy the artifact again from its source, "
                "or train and save it again."
            )
    return Artifact(table.tokenizer(cls), ids, manifest, folder)


def artifact_folder(name_or_folder: str | os.PathLike[str]) -> Path:
    """Return the folder of an artifact, given as for `save_artifact`. "", "." and ".." are folders, not names."""
    is_name = isinstance(name_or_folder, str) and os.sep not in name_or_folder and name_or_folder not in ("", ".", "..")
    return artifacts_folder() / name_or_folder if is_name else Path(name_or_folder)


def missing_artifact(folder: Path) -> MissingFileError:
    """Return the error for an artifact that does not exist. Its message lists the artifacts saved beside it."""
    saved = sorted(file.parent.name for file in folder.parent.glob(f"[!.]*/{TOKENIZER_FILE}"))
    there = f"Saved there: {', '.join(saved)}." if saved else "Nothing is saved there yet."
    return MissingFileError(f"There is no artifact {folder}.{did_you_mean(folder.name, saved)} {there}")


def check_replaceable(folder: Path) -> None:
    """Raise SavingError unless the folder can be created, or replaced without losing more than an artifact. Commands
    call this before long work, too, so that the work is not wasted."""
    with saving(folder):
        check_not_current(folder)
        names = os.listdir(folder) if folder.exists() else []
        # Until version 0.5, there was a file for the chat template, too.
        others = sorted({*names} - {*ARTIFACT_FILES, "chat_template.jinja", ".DS_Store", ".ipynb_checkpoints"})
        if others:
            raise SavingError(
                f"{folder} also contains {others[0]!r}, which is not part of an artifact and would be lost. "
                "Move it away, or save under another name."
            )
