"""Joining artifacts of one tokenizer, such as the ones that several machines have encoded.

    Web-0  Web-1  Web-2   --one after the other, in the order of their numbers-->   Web

The IDs are read once: checked, decoded for the checksum of the corpus, and written. Finished IDs are kept on the disk
as in `encode_corpus` (`g2c.corpus.unfinished`), so after a kill the same call continues.
"""

import hashlib
import os
import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from g2c.common.errors import CourseError, FileFormatError
from g2c.common.files import read_file, sha256_of
from g2c.common.progress import Progress, shown_progress
from g2c.common.text import DOCUMENT_SEPARATOR, Corpus
from g2c.corpus.shards import Shard
from g2c.corpus.unfinished import unfinished_work
from g2c.formats.artifact import artifact_folder, check_checksum, check_replaceable, write_artifact
from g2c.formats.manifest import read_manifest
from g2c.formats.token_ids import IDS_FILE, blocks_of, read_ids
from g2c.formats.tokenizer_json import MANIFEST_FILE, TOKENIZER_FILE, load, size_limit
from g2c.tokenizer.base import BPEBase

_IDS_AT_ONCE = 1 << 20
_NUMBERED = re.compile(r"(?P<begin>.*?)(?P<number>\d+)(?:-of-(?P<total>\d+))?(?P<end>\D*)")
_DATE = re.compile(r"[1-9]\d{3,}")

Part = tuple[Path, dict[str, Any]]
"""An artifact's folder, and the content of its manifest.json."""


def join_artifacts(
    parts: Sequence[str | os.PathLike[str]], out: str | os.PathLike[str], *, progress: Progress = None
) -> Path:
    """Join artifacts of one tokenizer: their IDs in order, with a manifest for all of them.

    Args:
        parts: names or folders of artifacts. If all have the same name but for a number, such as Web-0 and Web-1, or
            web-00000-of-00002, they are joined in the order of the numbers, none of which may be missing. Years and
            dates (four digits or more, the first not 0) may have gaps.
        out: the artifact's name or folder, as for `save_artifact`. It appears complete or not at all.
        progress: as for `encode_corpus`.

    Returns the artifact's folder. Raises MissingFileError or FileFormatError, which names the part, if one does not
    exist or is damaged; CourseError if one has another tokenizer, is given twice, or a number is missing; and
    SavingError if the disk is full and so on, after which the finished work is kept.
    """
    folder = artifact_folder(out)
    check_replaceable(folder)
    opened = [_opened(path) for path in _in_order([artifact_folder(part) for part in parts], folder)]
    (first, manifest), *others = opened
    tokenizer = load(first, BPEBase)
    own = manifest["tokenizer"]["fingerprint"]
    for path, other in others:
        if other["tokenizer"]["fingerprint"] != own:
            raise CourseError(f"{path} has another tokenizer than {first}, so the same ID means different tokens.")
    pieces = _pieces(opened, tokenizer)
    identity = {"tokenizer": own, "parts": [[path.name, part["ids"]["sha256"]] for path, part in opened]}
    total = 4 * sum(part["ids"]["count"] for _, part in opened)
    with (
        unfinished_work(folder, identity, tokenizer) as work,
        shown_progress(progress, "Joining", total=total, unit="MB") as bar,
    ):
        work.skip_finished((shard for shard, _ in pieces), lambda _: bar.update(4 * work.summary.count))
        for shard, ids in pieces:
            work.add(shard.text, [ids])
            bar.update(4 * work.summary.count)
        corpora = [part["corpus"] for _, part in opened]
        corpus = None
        if all(one and isinstance(one.get("bytes"), int) for one in corpora):
            # If the tokenizer normalizes text, the IDs do not decode to the corpus.
            sha256 = "" if tokenizer.normalization else work.text_digest.hexdigest()
            name = f"{len(corpora)} parts, {corpora[0].get('name')} to {corpora[-1].get('name')}"
            facts: dict[str, Any] = {"parts": corpora}
            if not all(_ends_with_separator(part, tokenizer) for part in opened):
                facts["texts"] = len(corpora)
            corpus = Corpus(name, "", sum(one["bytes"] for one in corpora), sha256, facts)
        write_artifact(tokenizer, folder, work.finished_ids(), work.summary, corpus=corpus, train=manifest["train"])
    return folder


def _in_order(folders: list[Path], out: Path) -> list[Path]:
    """Return the parts, in the order of their numbers if they have numbers. Raises CourseError for a wrong list."""
    if not folders:
        raise CourseError("There is nothing to join: name the artifacts.")
    real = [os.path.realpath(folder) for folder in folders]
    for folder, path in zip(folders, real):
        if real.count(path) > 1 or path == os.path.realpath(out):
            raise CourseError(f"{folder} is given twice. Name each part once, and another artifact as the output.")
    found = [_NUMBERED.fullmatch(folder.name) for folder in folders]
    matches = [match for match in found if match]
    if len(matches) < len(folders) or len({(match["begin"], match["total"], match["end"]) for match in matches}) > 1:
        return folders
    numbered = {int(match["number"]): folder for match, folder in zip(matches, folders)}
    first = min(1, *numbered) if len(numbered) > 1 else min(numbered)
    last = int(matches[0]["total"]) - 1 + first if matches[0]["total"] else max(numbered)
    are_dates = all(_DATE.fullmatch(match["number"]) and not match["total"] for match in matches)
    missing = None if are_dates else next((n for n in range(first, last + 1) if n not in numbered), None)
    if missing is not None or len(numbered) < len(folders):
        problem = "a number occurs twice" if missing is None else f"number {missing} of {last} is missing"
        raise CourseError(
            f"The parts {folders[0].name} and so on are not complete: {problem}. If they are not parts of one corpus, "
            "give them names without a number."
        )
    return [numbered[number] for number in sorted(numbered)]


def _opened(folder: Path) -> Part:
    """Read the manifest of a part, and check its tokenizer.json."""
    manifest, path = read_manifest(folder / MANIFEST_FILE), folder / TOKENIZER_FILE
    checksum = sha256_of(read_file(path, limit=size_limit(TOKENIZER_FILE)))
    check_checksum(path, checksum, manifest["tokenizer"], "sha256")
    return folder, manifest


def _ends_with_separator(part: Part, tokenizer: BPEBase) -> bool:
    """Tell whether a separator follows each document of a part, including the last one."""
    folder, manifest = part
    last = read_ids(folder / IDS_FILE, mmap=True, count=manifest["ids"]["count"])[-1:].tolist()
    return "texts" not in manifest["corpus"] and last == [tokenizer.special_to_id.get(DOCUMENT_SEPARATOR)]


def _pieces(parts: list[Part], tokenizer: BPEBase) -> Iterator[tuple[Shard, NDArray[np.uint32]]]:
    """Yield the IDs of all parts in blocks, each with its text. Raises FileFormatError for a damaged part."""
    for folder, manifest in parts:
        path, digest = folder / IDS_FILE, hashlib.sha256()
        ids = read_ids(path, mmap=True, count=manifest["ids"]["count"])
        for block in blocks_of(ids, _IDS_AT_ONCE):
            digest.update(block.data)
            try:
                text = b"".join(map(tokenizer.vocab.__getitem__, block.tolist()))
            except KeyError as unknown:
                raise FileFormatError(f"{path} contains the ID {unknown}, which is not one of the tokenizer.") from None
            yield Shard(text, [], None), block
        check_checksum(path, digest.hexdigest(), manifest["ids"], "sha256")
