"""BatchLoader: the windows of module 04c once in an epoch, the same batches after a stop, none across documents."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach.common.errors import MissingFileError
from g2c.tokenizer import BatchLoader, BPETokenizer, document_windows, save_artifact, windows


def rows_of(batches) -> list[tuple[tuple[int, ...], tuple[int, ...]]]:
    """The windows of batches: (inputs, targets)."""
    return [row for batch in batches for row in zip(*(map(tuple, part.tolist()) for part in batch))]


def firsts(loader: BatchLoader, count: int) -> list[list[int]]:
    return [loader.next_batch()[0][:, 0].tolist() for _ in range(count)]


@pytest.mark.parametrize("separator", [None, 0])
@given(st.lists(st.integers(0, 4), max_size=60), st.integers(1, 4), st.integers(1, 8), st.integers(0, 5))
def test_an_epoch_visits_each_window_once(separator, ids, batch_size, block_size, seed):
    """With a separator, those of each document by itself, although documents extend across the blocks that are read."""
    whole = windows(ids, block_size) if separator is None else document_windows(ids, block_size, separator)
    expected, last = Counter(rows_of([whole])), len(whole[0]) % batch_size
    if expected.total() < batch_size:
        with pytest.raises(ValueError, match=f"too short: {len(ids)} tokens"):
            BatchLoader(ids, batch_size, block_size, seed=seed, separator_id=separator)
    else:
        visited = Counter(rows_of(BatchLoader(ids, batch_size, block_size, seed=seed, separator_id=separator)))
        assert visited <= expected and visited.total() == expected.total() - last


def test_a_loop_is_an_epoch_and_each_has_its_own_order_as_has_each_seed():
    loader = BatchLoader(range(1000), batch_size=8, block_size=8)
    one, other = rows_of(loader), rows_of(loader)
    assert loader.epoch == 2 and loader.position == 2 * len(loader)
    assert one != other
    assert one != sorted(one)
    assert one != rows_of(BatchLoader(range(1000), batch_size=8, block_size=8, seed=1)), "the seed has no influence"


@pytest.mark.parametrize("stop", [0, 1, 31, 32, 75])
def test_from_a_position_on_the_same_batches_follow(stop):
    whole = firsts(BatchLoader(range(1000), 4, 8, seed=3), 120)
    resumed = BatchLoader(range(1000), 4, 8, seed=3)
    firsts(resumed, 100)
    resumed.position = stop
    assert firsts(resumed, 120 - stop) == whole[stop:]


def test_a_file_or_artifact_stays_on_the_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path))
    ids = [number % 256 for number in range(1000)]
    folder = save_artifact(BPETokenizer(), "Little", ids)
    for source in ("Little", folder, folder / "ids.uint32", BatchLoader("Little", 4, 8).ids):
        loader = BatchLoader(source, 4, 8)
        assert isinstance(loader.ids, np.memmap)
        assert firsts(loader, 9) == firsts(BatchLoader(ids, 4, 8), 9)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"source": [], "separator_id": 0}, ValueError, "too short: 0 tokens"),
        ({"batch_size": 0}, ValueError, "batch_size is 0, but it must be at least 1"),
        ({"block_size": 0}, ValueError, "block_size is 0, but it must be at least 1"),
        ({"source": "Gone"}, MissingFileError, "There is no artifact"),
    ],
)
def test_what_is_not_valid_is_refused(arguments, error, message, tmp_path, monkeypatch):
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path))
    with pytest.raises(error, match=message):
        BatchLoader(**{"source": range(100), "batch_size": 4, "block_size": 8, **arguments})
