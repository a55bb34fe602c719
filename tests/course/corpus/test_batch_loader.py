"""BatchLoader: every token is a target once in an epoch, the same batches after a stop, no window across documents."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach.common.errors import MissingFileError
from g2c.tokenizer import BatchLoader, BPETokenizer, save_artifact


def epoch_of(loader: BatchLoader) -> list[tuple[list[int], list[int]]]:
    """The windows of one epoch: (inputs, targets) row by row."""
    return [(i, t) for inputs, targets in loader for i, t in zip(inputs.tolist(), targets.tolist())]


def firsts(loader: BatchLoader, count: int) -> list[list[int]]:
    return [loader.next_batch()[0][:, 0].tolist() for _ in range(count)]


@given(tokens=st.integers(0, 60), batch_size=st.integers(1, 4), block_size=st.integers(1, 8), seed=st.integers(0, 5))
def test_an_epoch_visits_windows_once_and_targets_are_one_further_on(tokens, batch_size, block_size, seed):
    windows = max(0, (tokens - 1) // block_size)
    if windows < batch_size:
        with pytest.raises(ValueError, match=f"too short: {tokens} tokens"):
            BatchLoader(range(tokens), batch_size, block_size, seed=seed)
        return
    loader = BatchLoader(range(tokens), batch_size, block_size, seed=seed)
    rows = epoch_of(loader)
    assert len(rows) == len(loader) * batch_size == windows // batch_size * batch_size
    starts = [inputs[0] for inputs, _ in rows]
    assert len(set(starts)) == len(starts) and {start % block_size for start in starts} == {0}
    for inputs, targets in rows:
        assert inputs == list(range(inputs[0], inputs[0] + block_size))
        assert targets == [token_id + 1 for token_id in inputs]


def test_a_loop_is_an_epoch_and_each_has_its_own_order_as_has_each_seed():
    loader = BatchLoader(range(1000), batch_size=8, block_size=8)
    one, other = epoch_of(loader), epoch_of(loader)
    assert loader.epoch == 2 and loader.position == 2 * len(loader)
    assert one != other
    assert one != sorted(one)
    assert one != epoch_of(BatchLoader(range(1000), batch_size=8, block_size=8, seed=1)), "the seed has no influence"


@pytest.mark.parametrize("stop", [0, 1, 17, 31, 32, 75])
def test_from_a_position_on_the_same_batches_follow(stop):
    whole = firsts(BatchLoader(range(1000), 4, 8, seed=3), 120)
    resumed = BatchLoader(range(1000), 4, 8, seed=3)
    firsts(resumed, 100)
    resumed.position = stop
    assert firsts(resumed, 120 - stop) == whole[stop:]


def documents_of(ids: list[int], separator: int) -> list[list[int]]:
    """The documents that hold a token, each with the separators beside it."""
    borders = [-1 if ids[0] != separator else 0, *[place for place, i in enumerate(ids) if i == separator], len(ids)]
    found = []
    for left, right in itertools.pairwise(borders):
        if any(token_id != separator for token_id in ids[max(left, 0) : right]):
            found.append(ids[max(left, 0) : right + 1])
    return found


@given(ids=st.lists(st.sampled_from([0, 0, 1, 2, 3, 4]), min_size=2, max_size=40), block_size=st.integers(1, 6))
def test_with_a_separator_every_document_is_predicted_by_itself(ids, block_size):
    expected = []
    for document in documents_of(ids, 0):
        for start in range(0, len(document) - 1, block_size):
            inputs, targets = document[start : start + block_size], document[start + 1 : start + block_size + 1]
            inputs = inputs[: len(targets)]
            lacking = block_size - len(targets)
            expected.append((inputs + [0] * lacking, targets + [-100] * lacking))
    if expected:
        assert sorted(epoch_of(BatchLoader(ids, 1, block_size, separator_id=0))) == sorted(expected)
    else:
        with pytest.raises(ValueError, match="too short"):
            BatchLoader(ids, 1, block_size, separator_id=0)


def test_a_file_or_artifact_stays_on_the_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path))
    folder = save_artifact(BPETokenizer(), "Little", [number % 256 for number in range(1000)])
    for source in ("Little", folder, folder / "ids.uint32", BatchLoader("Little", 4, 8).ids):
        loader = BatchLoader(source, 4, 8)
        assert isinstance(loader.ids, np.memmap)
        assert firsts(loader, 9) == firsts(BatchLoader([number % 256 for number in range(1000)], 4, 8), 9)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"source": [], "separator_id": 0}, ValueError, "too short: 0 tokens"),
        ({"source": "Gone"}, MissingFileError, "There is no artifact"),
    ],
)
def test_what_is_not_valid_is_refused(arguments, error, message, tmp_path, monkeypatch):
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path))
    with pytest.raises(error, match=message):
        BatchLoader(**{"source": range(100), "batch_size": 4, "block_size": 8, **arguments})
