"""BatchLoader, which makes batches for training a language model from saved token IDs.

    window        12 7  7 31  5
    inputs        12 7  7 31           the model reads these
    targets        7 7 31  5           and has to predict these, the same one token later

`windows` and `document_windows`, which students write in module 04c, make each window of its part of the corpus. The
loader shuffles, and reads no more than it needs.
"""

import os
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path

import numpy as np

import g2c.tokenizer
from g2c.formats.token_ids import read_ids
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.checks import check_number

IdSource = str | os.PathLike[str] | Sequence[int] | np.ndarray


class BatchLoader:
    """Makes batches of (inputs, targets) for next-token training, from token IDs that stay on disk.

    An epoch visits every window once, in an order that only the seed and the epoch determine; the last ones are left
    out if they do not fill a batch. A loop over the loader ends with the epoch. `position` is the number of the next
    batch, counted from 0 through all epochs; training that sets it continues exactly where it stopped.

    Args:
        source: the name or folder of a saved artifact, a file such as `ids.uint32`, or a sequence or array of IDs.
        batch_size, block_size: windows per batch, and tokens per window.
        seed: an integer of at least 0.
        separator_id: None lets windows follow one another through the whole corpus. With the ID between documents,
            each window is within one document, and a document's last window is padded: see `document_windows`.

    Raises ValueError for a size below 1, and for a corpus that is too short for one batch.

    >>> loader = BatchLoader(range(100, 113), batch_size=2, block_size=4, seed=0)
    >>> inputs, targets = loader.next_batch()
    >>> inputs.tolist(), targets.tolist()
    ([[108, 109, 110, 111], [100, 101, 102, 103]], [[109, 110, 111, 112], [101, 102, 103, 104]])
    """

    def __init__(
        self, source: IdSource, batch_size: int, block_size: int, *, seed: int = 0, separator_id: int | None = None
    ) -> None:
        self.batch_size = check_number("batch_size", batch_size, at_least=1)
        self.block_size = check_number("block_size", block_size, at_least=1)
        self.seed, self.separator_id = seed, separator_id
        self.position = 0
        if not isinstance(source, (str, os.PathLike)):
            self.ids = np.asanyarray(source)
        elif Path(source).is_file():
            self.ids = read_ids(Path(source), mmap=True)
        else:
            self.ids = BPEBase.load_artifact(source, mmap=True).ids
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
        order = _shuffled(len(self._starts), self.seed, epoch)
        chosen = order[number * self.batch_size : (number + 1) * self.batch_size]
        inputs, targets = zip(*map(self._window, chosen))
        self.position += 1
        return np.concatenate(inputs), np.concatenate(targets)

    def _window(self, number: int) -> tuple[np.ndarray, np.ndarray]:
        """Return a window as inputs and targets, arrays with one row."""
        ids = self.ids[self._starts[number] : self._ends[number] + 1]
        if self.separator_id is None:
            return g2c.tokenizer.windows(ids, self.block_size)
        return g2c.tokenizer.document_windows(ids, self.block_size, self.separator_id)

    def _windows(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the start and end of each window: the inputs are ids[start:end], the targets one later."""
        # A document extends from the separator before it to the one after it:
        #     positions  0 1 2 3 4 5
        #     IDs        7 8 9 | 5 |         | is the separator
        #     documents  0 to 3, 3 to 5      3 - 0 and 5 - 3 tokens to predict
        separators = np.flatnonzero([] if self.separator_id is None else self.ids == self.separator_id)
        bounds = np.concatenate([[0], separators, [max(len(self.ids) - 1, 0)]])
        targets = np.diff(bounds)
        # Two adjacent separators enclose no document.
        targets[1:-1][targets[1:-1] == 1] = 0
        # The last window of a document is padded, but that of a whole corpus left out.
        windows = targets // self.block_size if self.separator_id is None else -(-targets // self.block_size)
        number_in_document = np.arange(windows.sum()) - np.repeat(np.cumsum(windows) - windows, windows)
        starts = np.repeat(bounds[:-1], windows) + number_in_document * self.block_size
        return starts, np.minimum(starts + self.block_size, np.repeat(bounds[1:], windows))


@lru_cache(2)  # One order for training, and one for validation.
def _shuffled(windows: int, seed: int, epoch: int) -> np.ndarray:
    return np.random.default_rng([seed, epoch]).permutation(windows)
