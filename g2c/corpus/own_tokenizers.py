"""From a corpus of your own to an artifact: train a tokenizer on it, encode it, and save both.

    corpus  --train_exact_corpus-->  tokenizer  --encode_corpus-->  artifacts/tokenizers/NAME/

The same corpus and settings always give the same tokenizer. So after an interruption the next call trains again, and
then continues the encoding where it stopped (see encoding.py).
"""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from g2c.common.errors import CourseError
from g2c.common.text import DOCUMENT_SEPARATOR
from g2c.corpus.documents import corpus_input
from g2c.corpus.encoding import encode_corpus
from g2c.corpus.recipes import NAMED_TOKENIZERS, artifact_name
from g2c.corpus.training import train_exact_corpus
from g2c.engine.exact import Ties, check_training, train_on_words, words_of
from g2c.formats.artifact import artifact_folder, check_replaceable
from g2c.tokenizer.base import BPEBase

Corpus = str | os.PathLike[str] | Sequence[Path]
"""A corpus that can be read twice: a name, a path, or the paths of text files."""


def train_and_encode(
    corpus: Corpus,
    out: str | os.PathLike[str],
    vocab_size: int,
    *,
    pattern: str | None = "gpt4",
    special_tokens: Sequence[str] | Mapping[str, int] = (DOCUMENT_SEPARATOR,),
    ties: Ties = "first-seen",
    workers: int | None = None,
    resume: bool = True,
    progress: bool | None = None,
) -> Path:
    """Train a tokenizer on a corpus of any size, encode the corpus with it, and save both as an artifact.

    No code that students write is called. With a pattern, memory grows only with the number of distinct words, and all
    cores count them. Without one, the corpus has to fit into memory, about thirty times, and one core trains.

    Args:
        corpus: what `encode_corpus` takes, except for an iterable of documents: it is read twice.
        out: the artifact's name or folder, as for `save_artifact`. An artifact that is there is replaced at the end.
        vocab_size: the number of tokens: 256 bytes, special tokens and learned merges.
        pattern, special_tokens: as for `BPETokenizer`.
        ties: as for `train_exact`.
        workers: as for `encode_corpus`. Without a pattern they are used for the encoding only.
        resume: True continues an interrupted encoding; False discards it and starts again.
        progress: True shows progress bars, False nothing, None bars in a terminal or notebook only.

    Returns:
        the artifact's folder.

    Raises:
        CorpusError: the corpus is missing, or not UTF-8.
        CourseError: `out` is the name of one of the course's own tokenizers; there is an interrupted encoding with
            another tokenizer; or another process is encoding into the same folder.
        SavingError: the disk is full, the folder is read-only, ... The work done so far is kept.
        TypeError, ValueError: an argument is not valid.

    >>> import tempfile
    >>> from g2c.tokenizer import load_artifact
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     text = Path(folder, "corpus.txt")
    ...     _ = text.write_text("low lower lowest low lower low")
    ...     artifact = load_artifact(train_and_encode(text, folder + "/Low", 260, pattern="gpt2"))
    >>> [artifact.tokenizer.vocab[new_id] for new_id in artifact.tokenizer.merges.values()]
    [b'lo', b'low', b' low']
    >>> len(artifact.ids)
    13
    """
    tokenizer = BPEBase(special_tokens, pattern)
    check_training(tokenizer, vocab_size, ties)
    if isinstance(out, str) and artifact_name(out) in NAMED_TOKENIZERS:
        raise CourseError(f"{out} is the name of one of the course's own tokenizers. Choose another one.")
    folder = artifact_folder(out)
    check_replaceable(folder)
    source = corpus_input(corpus)
    method = {"algorithm": "train_exact_corpus", "ties": ties, "vocab_size": vocab_size}
    if tokenizer.pattern is None:
        texts = [b"".join(parts).decode() for _, parts in source.documents()]
        words, _ = words_of(tokenizer, texts)
        train_on_words(tokenizer, words, vocab_size, ties=ties, progress=progress)
        if len(texts) == 1:
            # This tells `g2c verify` that the IDs are those of a single text.
            method["algorithm"] = "train_exact"
    else:
        train_exact_corpus(tokenizer, source, vocab_size, ties=ties, workers=workers, progress=progress)
    return encode_corpus(tokenizer, source, folder, workers=workers, train=method, resume=resume, progress=progress)
