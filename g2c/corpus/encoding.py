"""Encoding a whole corpus to ids.uint32: of any size, on all cores, in bounded memory.

    documents   --batches.py-->   batches   --workers.py-->   their IDs, in order   -->   ids.uint32   --renamed-->

The IDs of a batch depend only on its text, so the file does not depend on the number of workers. It is written in a
folder beside the artifact, which takes the artifact's name once it is complete.
"""

import hashlib
import os
import threading
from collections.abc import Generator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from g2c.common.progress import Progress, shown_progress
from g2c.common.text import DOCUMENT_SEPARATOR, Corpus
from g2c.corpus.batches import Batch, batches_of
from g2c.corpus.documents import CorpusArgument, CorpusInput
from g2c.corpus.workers import run
from g2c.engine.encoding import Encoder
from g2c.engine.fast import tables_of
from g2c.engine.parts import NO_TOKEN, SpecialTokens
from g2c.formats.artifact import artifact_folder, write_artifact
from g2c.formats.table import Table
from g2c.formats.token_ids import BLOCK_IDS, blocks_of
from g2c.tokenizer.base import BPEBase


def encode_corpus(
    tokenizer: BPEBase,
    corpus: CorpusArgument,
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    train: Mapping[str, Any] | None = None,
    progress: Progress = None,
) -> Path:
    """Encode a corpus into an artifact: ids.uint32, manifest.json and the tokenizer in one folder.

    For one text, the IDs are those of `tokenizer.encode`. For documents, they are those of `encode_ordinary` for each
    by itself, because a web page that contains `<|endoftext|>` is still one document; after each comes the ID of
    `<|endoftext|>`, if the tokenizer has it.

    Args:
        tokenizer: a trained tokenizer.
        corpus: a .txt file, used byte for byte as one text; or anything that `g2c.corpus.documents.documents` accepts;
            or any iterable of documents (str).
        out, train: the artifact's name or folder, and how the tokenizer was trained, as for `save_artifact`.
        workers: number of threads; None means one for each core.
        progress: as for `BPETokenizer.train`.

    Returns the artifact's folder. Raises CorpusError if the corpus is missing, not valid, or changes meanwhile;
    SavingError if the disk is full and so on; and ValueError for a tokenizer or an argument that is not valid. After an
    error or Ctrl-C, an existing artifact has not changed.
    """
    table = Table.checked(tokenizer)
    source, folder = CorpusInput.of(corpus), artifact_folder(out)
    special_to_id = tokenizer.special_to_id if source.is_text else {}
    separator_id = NO_TOKEN if source.is_text else tokenizer.special_to_id.get(DOCUMENT_SEPARATOR, NO_TOKEN)
    separator = b"" if separator_id == NO_TOKEN else DOCUMENT_SEPARATOR.encode()
    special_tokens = SpecialTokens(special_to_id, separator_id, separator, tokenizer.normalization)
    tables, of_this_thread = tables_of(tokenizer), threading.local()
    digest, size, tokens = hashlib.sha256(), 0, 0

    def encode(batch: Batch) -> list[NDArray[np.uint32]]:
        if not hasattr(of_this_thread, "encoder"):
            of_this_thread.encoder = Encoder(tables)
        arrays = of_this_thread.encoder.encode(*special_tokens.prepared(batch.text, batch.ends))
        return [ids.astype("<u4", copy=False) for ids in arrays]

    def blocks() -> Generator[NDArray[np.uint32], None, None]:
        nonlocal size, tokens
        batches = batches_of(source, tokenizer.pattern, special_to_id, separator)
        with (
            shown_progress(progress, "Encoding", total=source.size, unit="MB") as bar,
            closing(run(encode, batches, workers)) as encoded,
        ):
            for batch, arrays in encoded:
                digest.update(batch.text)
                size += len(batch.text)
                for ids in arrays:
                    yield from blocks_of(ids, BLOCK_IDS)
                    tokens += len(ids)
                bar.update(batch.read, tokens=tokens)

    with closing(blocks()) as ids:
        return write_artifact(table, folder, ids, lambda: Corpus(source.name, "", size, digest.hexdigest()), train)
