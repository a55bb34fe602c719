"""Encoding a whole corpus to ids.uint32: of any size, on all cores, in bounded memory, and resumable at any time.

    corpus   --cut-->   shard 0, 1, 2, …   --workers-->   the IDs of each   --in order-->   ids.uint32

The IDs of a shard depend only on its text, so the file does not depend on the number of workers. Finished shards are
kept on the disk (`g2c.corpus.unfinished`). At the end, if the corpus has not changed, ids.uint32 becomes part of the
artifact, with tokenizer and manifest.
"""

import os
from collections.abc import Callable, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from g2c.common.progress import Progress, shown_progress
from g2c.common.text import DOCUMENT_SEPARATOR, Corpus
from g2c.corpus.documents import CorpusArgument, corpus_input
from g2c.corpus.shards import SHARD_BYTES, Shard, cut_into_shards
from g2c.corpus.unfinished import unfinished_work
from g2c.corpus.workers import run
from g2c.engine.encoding import Encoder, Tables
from g2c.engine.fast import tables_of
from g2c.engine.parts import NO_TOKEN, Cutter, SpecialTokens
from g2c.formats.artifact import artifact_folder, check_replaceable, write_artifact
from g2c.formats.tokenizer_json import fingerprint
from g2c.formats.validity import check_tokenizer
from g2c.tokenizer.base import BPEBase

Special = Literal["allow", "ordinary"]


def encode_corpus(
    tokenizer: BPEBase,
    corpus: CorpusArgument,
    out: str | os.PathLike[str],
    *,
    workers: int | None = None,
    special: Special | None = None,
    train: Mapping[str, Any] | None = None,
    resume: bool = True,
    shard_bytes: int = SHARD_BYTES,
    progress: Progress = None,
) -> Path:
    """Encode a corpus into an artifact: ids.uint32, manifest.json and the tokenizer in one folder.

    The IDs are those of `tokenizer.encode` for each document by itself. With two workers, memory stays below 700 MB for
    a corpus of any size. A text that cannot be cut, such as megabytes of letters without a space, takes 40 bytes of
    memory for each of its bytes, and may have at most 16 MB. After Ctrl-C, a kill or a full disk, the same call
    continues where it stopped, and ends with the same files.

    Args:
        tokenizer: a trained tokenizer.
        corpus: a text file, used byte for byte as one document; or anything that `g2c.corpus.documents.documents`
            accepts (a named corpus, a folder, .jsonl, .txt.gz, parquet and so on); or a list of `Path`s of either; or
            any iterable of documents (str).
        out: the artifact's name or folder, as for `save_artifact`.
        workers: number of threads; None means one for each core.
        special: "allow" gives special tokens in the text their IDs; "ordinary" treats them as plain text. None means
            "allow" for text files, in which they separate documents, and "ordinary" for documents, because a web page
            that contains `<|endoftext|>` is still one document. After each document, but not after a text file, comes
            the ID of `<|endoftext|>`, if the tokenizer has it.
        train: how the tokenizer was trained, for manifest.json.
        resume: True continues interrupted work; False discards it and starts again.
        shard_bytes: about how much text a worker gets at a time. The IDs do not depend on it.
        progress: True shows a progress bar, False nothing, None a bar in a terminal or notebook only.

    Returns the artifact's folder. Raises CorpusError if the corpus is missing, not UTF-8, or changes meanwhile;
    CourseError for interrupted work with other settings, or while another process encodes into the same folder;
    SavingError if the disk is full and so on, after which the finished work is kept; and ValueError for a tokenizer or
    an argument that is not valid.
    """
    check_tokenizer(tokenizer)
    if special not in ("allow", "ordinary", None):
        raise ValueError(f"special is 'allow', 'ordinary' or None, but it is {special!r}.")
    source = corpus_input(corpus)
    if special is None:
        special = "allow" if source.is_text else "ordinary"
    folder = artifact_folder(out)
    check_replaceable(folder)
    special_to_id = tokenizer.special_to_id if special == "allow" else {}
    separator_id = NO_TOKEN if source.is_text else tokenizer.special_to_id.get(DOCUMENT_SEPARATOR, NO_TOKEN)
    separator = b"" if separator_id == NO_TOKEN else DOCUMENT_SEPARATOR.encode()
    tables = tables_of(tokenizer)
    special_tokens = SpecialTokens(special_to_id, separator_id, separator, tokenizer.normalization)
    cutter = Cutter(tables.cuts, special_to_id)
    shards = cut_into_shards(source, cutter, separator, shard_bytes)
    identity = {
        "tokenizer": fingerprint(tokenizer),
        "corpus": source.name,
        "special": special,
        "shard_bytes": shard_bytes,
        **source.facts,
    }
    with (
        unfinished_work(folder, identity, tokenizer, resume=resume) as work,
        shown_progress(progress, "Encoding", total=source.size, unit="MB") as bar,
    ):
        documents = 0

        def report(shard: Shard) -> None:
            nonlocal documents
            documents += len(shard.ends)
            done = work.text_bytes if shard.read is None else shard.read
            bar.update(done, tokens=work.summary.count, documents=None if source.is_text else documents)

        try:
            work.skip_finished(shards, report)
            with closing(run(lambda: shard_encoder(tables, special_tokens), shards, workers)) as encoded:
                for shard, ids in encoded:
                    work.add(shard.text, ids)
                    report(shard)
        except KeyboardInterrupt:
            bar.note("Stopped. The finished work is kept; the same call continues from here.")
            raise
        source.check_unchanged()
        described = Corpus(source.name, "", work.text_bytes, work.text_digest.hexdigest(), source.facts)
        write_artifact(tokenizer, folder, work.finished_ids(), work.summary, corpus=described, train=train)
    return folder


def shard_encoder(tables: Tables, special_tokens: SpecialTokens) -> Callable[[Shard], list[NDArray[np.uint32]]]:
    """Return a function that encodes shards, for one thread."""
    encoder = Encoder(tables)
    return lambda shard: list(encoder.encode(*special_tokens.prepared(shard.text, shard.ends)))
