"""BatchLoader, which makes batches for training a language model from saved token IDs.

    ids.uint32    12 7 7 31 | 5 90 4 4 | 18 2 ...        on disk, divided into windows of `block_size` tokens

    window        12 7  7 31  5
    inputs        12 7  7 31                             the model reads these
    targets        7 7 31  5                             and has to predict these, the same one token later

`windows` and `document_windows`, which students write in module 04c, make each window of its part of the corpus. The
loader shuffles, and reads no more than it needs. Each epoch visits the windows in an order that the seed determines. A
batch depends only on the seed and its number, so training that sets `position` to the number of the next batch
continues exactly where it stopped.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

import g2c.tokenizer
from g2c.formats.token_ids import BLOCK_IDS, blocks_of, id_blocks, read_ids
from g2c.tokenizer.base import BPEBase


class BatchLoader:
    """Makes batches of (inputs, targets) for next-token training, from token IDs that stay on disk.

    One epoch visits every window once; the last ones, if they do not fill a batch, are left out, different ones in each
    epoch. A loop over the loader ends with the current epoch, and the next loop goes through the next one.

    Args:
        source: the name or folder of a saved artifact, a file such as `ids.uint32`, or a sequence or array of IDs.
        batch_size, block_size: windows per batch, and tokens per window.
        seed: determines the order of the windows; an integer of at least 0.
        separator_id: None lets windows follow one another through the whole corpus. With the ID between documents, no
            window contains tokens of two: a separator is either the first input, at the beginning of a document, or the
            last target, at its end. A document's last window is padded: inputs with the separator, targets with -100.

    Attributes:
        position: number of the next batch, counted from 0 through all epochs. It may be set.

    Raises ValueError for a corpus that is too short for one batch, or a size below 1.

    >>> loader = BatchLoader(range(100, 113), batch_size=2, block_size=4, seed=0)
    >>> inputs, targets = loader.next_batch()
    >>> inputs.tolist(), targets.tolist()
    ([[108, 109, 110, 111], [100, 101, 102, 103]], [[109, 110, 111, 112], [101, 102, 103, 104]])
    >>> loader = BatchLoader([7, 8, 9, 0, 5, 0], batch_size=3, block_size=2, separator_id=0)
    >>> inputs, targets = loader.next_batch()
    >>> sorted(zip(inputs.tolist(), targets.tolist()))
    [([0, 5], [5, 0]), ([7, 8], [8, 9]), ([9, 0], [0, -100])]
    """

    def __init__(
        self,
        source: str | os.PathLike[str] | Sequence[int] | np.ndarray,
        batch_size: int,
        block_size: int,
        *,
        seed: int = 0,
        separator_id: int | None = None,
    ) -> None:
        self.batch_size, self.block_size, self.seed, self.separator_id = batch_size, block_size, seed, separator_id
        self.position = 0
        self._latest: tuple[int, np.ndarray] | None = None
        if min(batch_size, block_size) < 1:
            raise ValueError(f"batch_size is {batch_size} and block_size {block_size}, but both must be at least 1.")
        self.ids = _read(source)
        self._starts, self._ends = self._windows()
        if len(self._starts) < batch_size:
            raise ValueError(
                f"The corpus is too short: {len(self.ids):,} tokens give {len(self._starts):,} windows of {block_size} "
                f"tokens and one more to predict, but a batch needs {batch_size}. Reduce batch_size or block_size."
            )

    def __len__(self) -> int:
        """Return the number of batches in one epoch."""
        return len(self._starts) // self.batch_size

    @property
    def epoch(self) -> int:
        """The epoch that the next batch belongs to, counted from 0."""
        return self.position // len(self)

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        """Yield the batches from `position` to the end of its epoch."""
        epoch = self.epoch
        while self.epoch == epoch:
            yield self.next_batch()

    def next_batch(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the batch at `position`: (inputs, targets), both int64 of shape (batch_size, block_size)."""
        epoch, number = divmod(self.position, len(self))
        chosen = self._order(epoch)[number * self.batch_size : (number + 1) * self.batch_size]
        bounds = zip(self._starts[chosen].tolist(), self._ends[chosen].tolist())
        inputs, targets = zip(*(self._window(self.ids[start : end + 1]) for start, end in bounds))
        self.position += 1
        return np.concatenate(inputs), np.concatenate(targets)

    def _window(self, ids: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Return the only window of these IDs, as arrays with one row."""
        if self.separator_id is None:
            return g2c.tokenizer.windows(ids, self.block_size)
        return g2c.tokenizer.document_windows(ids, self.block_size, self.separator_id)

    def _windows(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the start and end of each window: the inputs are ids[start:end], the targets one later."""
        if self.separator_id is None:
            starts = np.arange(0, len(self.ids) - self.block_size, self.block_size)
            return starts, starts + self.block_size
        # A document extends from the separator before it to the one after it:
        #     positions  0 1 2 3 4 5
        #     IDs        7 8 9 | 5 |         | is the separator
        #     documents  0 to 3, 3 to 5      3 - 0 and 5 - 3 tokens to predict
        blocks = enumerate(blocks_of(self.ids, BLOCK_IDS))
        found = (n * BLOCK_IDS + np.flatnonzero(block == self.separator_id) for n, block in blocks)
        separators = np.concatenate([np.zeros(0, np.int64), *found])
        bounds = np.concatenate([[0], separators, [len(self.ids) - 1]])
        first, last = bounds[:-1], bounds[1:]
        # Two adjacent separators enclose no document, and none follows a separator at the end of the corpus.
        is_empty = last - first < 1 + np.isin(first, separators) * np.isin(last, separators)
        first, last = first[~is_empty], last[~is_empty]
        windows = -(-(last - first) // self.block_size)
        number_in_document = np.arange(windows.sum()) - np.repeat(np.cumsum(windows) - windows, windows)
        starts = np.repeat(first, windows) + number_in_document * self.block_size
        return starts, np.minimum(starts + self.block_size, np.repeat(last, windows))

    def _order(self, epoch: int) -> np.ndarray:
        """Return the windows of an epoch in shuffled order. The order of the latest epoch is kept."""
        if self._latest is None or self._latest[0] != epoch:
            self._latest = epoch, np.random.default_rng([self.seed, epoch]).permutation(len(self._starts))
        return self._latest[1]


def _read(source: str | os.PathLike[str] | Sequence[int] | np.ndarray) -> np.ndarray:
    if isinstance(source, (str, os.PathLike)):
        is_file = Path(source).is_file()
        return read_ids(Path(source), mmap=True) if is_file else BPEBase.load_artifact(source, mmap=True).ids
    for _ in id_blocks(source):
        pass  # Checks each block, and copies none: the array may be a memory-mapped file.
    return source if isinstance(source, np.ndarray) else np.asarray(source)
