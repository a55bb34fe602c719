"""BatchLoader, which makes batches for training a language model from saved token IDs.

    ids.uint32    12 7 7 31 | 5 90 4 4 | 18 2 ...        on disk, divided into windows of `block_size` tokens

    window        12 7  7 31  5
    inputs        12 7  7 31                             the model reads these
    targets        7 7 31  5                             and has to predict these, the same one token later

Each epoch visits the windows in an order shuffled with the seed. The windows of a batch depend only on the seed and the
number of the batch, so interrupted training continues exactly where it stopped.
"""

import os
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from g2c.formats.artifact import load_artifact
from g2c.formats.token_ids import id_blocks, load_token_ids
from g2c.tokenizer.checks import check_number

if TYPE_CHECKING:
    import torch

    Batch = tuple[np.ndarray, np.ndarray] | tuple[torch.Tensor, torch.Tensor]

IGNORED = -100  # The target of padding. PyTorch's cross_entropy ignores it by default.
_SCAN_LENGTH = 2**22


class BatchLoader:
    """Makes batches of (inputs, targets) for next-token training, from token IDs that stay on disk.

    One epoch visits every window once, in its own order; `len(loader)` batches make an epoch. The last windows, if they
    do not fill a batch, are left out, different ones in each epoch. A loop over the loader ends with the current epoch,
    and the next loop goes through the next one:

        for epoch in range(3):
            for inputs, targets in loader:
                ...

    Without `separator_id`, windows follow one another through the whole corpus; a remainder shorter than a window is
    left out. With it, no window contains tokens of two documents: a separator is either the first input, at the
    beginning of a document, or the last target, at its end. The last window of a document is padded: the inputs with
    the separator, the targets with -100 (`IGNORED`).

    Args:
        source: the name or folder of a saved artifact, a file such as `ids.uint32`, or a one-dimensional array of IDs.
        batch_size: windows per batch.
        block_size: tokens per window.
        seed: determines the order of the windows; an integer of at least 0.
        separator_id: the ID between two documents; None ignores documents.
        tensors: True returns torch tensors, False numpy arrays.

    Attributes:
        position: number of the next batch, counted from 0 through all epochs.

    Raises:
        ValueError, TypeError: a size below 1, a negative seed, IDs that are not a sequence of integers of
            at least 0, or a corpus too short for one batch.
        MissingFileError, FileFormatError: the file or artifact does not exist or is damaged.

    >>> from g2c.tokenizer import BatchLoader
    >>> loader = BatchLoader(range(100, 113), batch_size=2, block_size=4, seed=0)
    >>> len(loader)
    1
    >>> inputs, targets = loader.next_batch()
    >>> inputs.tolist()
    [[108, 109, 110, 111], [100, 101, 102, 103]]
    >>> targets.tolist()
    [[109, 110, 111, 112], [101, 102, 103, 104]]

    Two documents that end with 0. The second window of the first document is padded:

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
        tensors: bool = False,
    ) -> None:
        self.batch_size = check_number("batch_size", batch_size, at_least=1)
        self.block_size = check_number("block_size", block_size, at_least=1)
        self.seed = check_number("seed", seed, at_least=0)
        self.position = 0
        self.separator_id = None if separator_id is None else check_number("separator_id", separator_id, at_least=0)
        self.tensors = tensors
        self.ids = _read(source)
        self._starts, self._ends = self._windows()
        if len(self) == 0:
            raise ValueError(
                f"The corpus is too short: {len(self.ids):,} tokens give {len(self._starts):,} windows of {block_size} "
                f"tokens and one more to predict, but a batch needs {batch_size}. Reduce batch_size or block_size."
            )
        self._shuffled: tuple[int, np.ndarray] | None = None

    def __len__(self) -> int:
        """Return the number of batches in one epoch."""
        return len(self._starts) // self.batch_size

    def __repr__(self) -> str:
        return (
            f"BatchLoader({len(self.ids):,} tokens, {len(self):,} batches of shape ({self.batch_size}, "
            f"{self.block_size}) an epoch, position {self.position:,})"
        )

    @property
    def epoch(self) -> int:
        """The epoch that the next batch belongs to, counted from 0."""
        return self.position // len(self)

    def __iter__(self) -> Iterator["Batch"]:
        """Yield the batches from `position` to the end of its epoch."""
        epoch = self.epoch
        while self.epoch == epoch:
            yield self.next_batch()

    def next_batch(self) -> "Batch":
        """Return the batch at `position`, and move to the next one, also into the next epoch."""
        batch = self.batch(self.position)
        self.position += 1
        return batch

    def batch(self, position: int) -> "Batch":
        """Return the batch with this number: (inputs, targets), both int64 of shape (batch_size, block_size).

        It depends only on the number and the seed, not on earlier calls.
        """
        epoch, number = divmod(check_number("position", position, at_least=0), len(self))
        windows = self._order(epoch)[number * self.batch_size : (number + 1) * self.batch_size]
        padding = 0 if self.separator_id is None else self.separator_id
        inputs = np.full((self.batch_size, self.block_size), padding, dtype=np.int64)
        targets = np.full((self.batch_size, self.block_size), IGNORED, dtype=np.int64)
        for row, (start, end) in enumerate(zip(self._starts[windows].tolist(), self._ends[windows].tolist())):
            inputs[row, : end - start] = self.ids[start:end]
            targets[row, : end - start] = self.ids[start + 1 : end + 1]
        if self.tensors:
            import torch

            return torch.from_numpy(inputs), torch.from_numpy(targets)
        return inputs, targets

    # --- checkpoints --------------------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return the state for a checkpoint, from which the same batches continue: `position` and the settings."""
        return {"position": self.position, **self._settings()}

    def load_state_dict(self, state: dict[str, Any]) -> None:
        """Continue at the position where `state_dict` was called. ValueError: it was a loader with other settings."""
        for name, mine in self._settings().items():
            if name not in state or state[name] != mine:
                raise ValueError(
                    f"The state belongs to another loader: {name} is {state.get(name)!r} there and {mine!r} here, so "
                    "the same position would give other batches."
                )
        self.position = check_number("position", state["position"], at_least=0)

    def _settings(self) -> dict[str, Any]:
        return {
            "seed": self.seed,
            "batch_size": self.batch_size,
            "block_size": self.block_size,
            "separator_id": self.separator_id,
            "tokens": len(self.ids),
        }

    # --- windows ------------------------------------------------------------------------------------------------------

    def _order(self, epoch: int) -> np.ndarray:
        """Return the windows of an epoch in shuffled order. The order of the latest epoch is cached."""
        if self._shuffled is None or self._shuffled[0] != epoch:
            self._shuffled = epoch, np.random.default_rng([self.seed, epoch]).permutation(len(self._starts))
        return self._shuffled[1]

    def _windows(self) -> tuple[np.ndarray, np.ndarray]:
        """Return the start and end of each window: the inputs are ids[start:end], the targets one later."""
        if self.separator_id is None:
            starts = np.arange(0, len(self.ids) - self.block_size, self.block_size)
            return starts, starts + self.block_size
        # A document extends from the separator before it to the one after it:
        #     positions  0 1 2 3 4 5
        #     IDs        7 8 9 | 5 |         | is the separator
        #     documents  0 to 3, 3 to 5      3 - 0 and 5 - 3 tokens to predict
        separators = _positions_of(self.ids, self.separator_id)
        bounds = np.concatenate([[0], separators, [max(len(self.ids) - 1, 0)]])
        first, last = bounds[:-1], bounds[1:]
        # Two adjacent separators enclose no document, and none follows a separator at the end of the corpus.
        is_empty = last - first < 1 + np.isin(first, separators) * np.isin(last, separators)
        first, last = first[~is_empty], last[~is_empty]
        windows = -(-(last - first) // self.block_size)
        ends_of_documents = np.repeat(last, windows)
        number_in_document = np.arange(windows.sum()) - np.repeat(np.cumsum(windows) - windows, windows)
        starts = np.repeat(first, windows) + number_in_document * self.block_size
        return starts, np.minimum(starts + self.block_size, ends_of_documents)


def _read(source: str | os.PathLike[str] | Sequence[int] | np.ndarray) -> np.ndarray:
    if isinstance(source, (str, os.PathLike)):
        return load_token_ids(source, mmap=True) if Path(source).is_file() else load_artifact(source, mmap=True).ids
    if not hasattr(source, "__array__"):
        return np.concatenate([np.zeros(0, np.uint32), *id_blocks(source)])
    for _ in id_blocks(source):
        # Checks each block, and copies none: the array may be a memory-mapped file.
        pass
    return np.asarray(source)


def _positions_of(ids: np.ndarray, token_id: int) -> np.ndarray:
    # In parts, so that at most a few megabytes are read at a time.
    starts = range(0, len(ids), _SCAN_LENGTH)
    found = [start + np.flatnonzero(ids[start : start + _SCAN_LENGTH] == token_id) for start in starts]
    return np.concatenate([np.zeros(0, np.int64), *found])
