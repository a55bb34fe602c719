"""Joining artifacts of one tokenizer, such as the parts of a corpus that several machines encoded."""

import hashlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from coach.common.errors import CourseError
from g2c.common.text import Corpus
from g2c.formats.artifact import artifact_folder, write_artifact
from g2c.formats.table import Table
from g2c.formats.token_ids import BLOCK_IDS, blocks_of
from g2c.tokenizer.base import BPEBase


def join_artifacts(parts: Sequence[str | Path], out: str | Path) -> Path:
    """Join the IDs of artifacts (names or folders), in this order, into the artifact `out`. Returns its folder.

    Raises CourseError for a part that is missing, damaged or of another tokenizer.
    """
    folder, folders = artifact_folder(out), list(map(artifact_folder, parts))
    tokenizer, _, first, _ = BPEBase.load_artifact(folders[0], mmap=True)
    artifacts = [BPEBase.load_artifact(folder, mmap=True)[1:] for folder in folders]
    digest = hashlib.sha256()
    if others := [path for _, part, path in artifacts if part["tokenizer"]["sha256"] != first["tokenizer"]["sha256"]]:
        raise CourseError(
            f"{others[0]} was encoded with another tokenizer than {folders[0]}, so equal IDs mean different tokens."
        )

    def blocks() -> Iterator[NDArray[np.uint32]]:
        for block in (block for ids, _, _ in artifacts for block in blocks_of(ids, BLOCK_IDS)):
            digest.update(tokenizer.decode_bytes(block))
            yield block

    def described() -> Corpus | None:
        corpora = [part["corpus"] for _, part, _ in artifacts]
        sha256 = "" if tokenizer.normalization else digest.hexdigest()
        name = f"{len(corpora)} parts, {corpora[0]['name']} to {corpora[-1]['name']}" if all(corpora) else ""
        return Corpus(name, "", sum(one["bytes"] for one in corpora), sha256, {"parts": corpora}) if name else None

    return write_artifact(Table.of(tokenizer), folder, blocks(), described, first["train"])
