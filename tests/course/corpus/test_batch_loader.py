"""BatchLoader: every token is a target once in an epoch, the same batches after a stop, no window across documents."""

import itertools
import sys
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from g2c.common.errors import MissingFileError
from g2c.tokenizer import BatchLoader, BPETokenizer, save_artifact


def epoch_of(loader: BatchLoader) -> list[tuple[list[int], list[int]]]:
    """The windows of one epoch: (inputs, targets) row by row."""
    return [(i, t) for inputs, targets in loader for i, t in zip(inputs.tolist(), targets.tolist())]


def firsts(loader: BatchLoader, count: int) -> list[list[int]]:
    return [loader.next_batch()[0][:, 0].tolist() for _ in range(count)]


# --- windows ----------------------------------------------------------------------------------------------------------


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


# --- seeds and going on -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", [0, 1, 17, 31, 32, 75])
def test_after_a_stop_the_same_batches_follow(stop):
    whole = firsts(BatchLoader(range(1000), 4, 8, seed=3), 120)
    stopped = BatchLoader(range(1000), 4, 8, seed=3)
    assert firsts(stopped, stop) == whole[:stop]
    resumed = BatchLoader(range(1000), 4, 8, seed=3)
    resumed.load_state_dict(stopped.state_dict())
    assert firsts(resumed, 120 - stop) == whole[stop:]


@pytest.mark.parametrize("other", [{"seed": 1}, {"batch_size": 5}, {"block_size": 9}, {"separator_id": 0}])
def test_the_state_of_another_loader_is_refused(other):
    settings = {"batch_size": 4, "block_size": 8, "seed": 0, "separator_id": None}
    state = BatchLoader(range(1000), **settings).state_dict()
    loader = BatchLoader(range(1000), **settings | other)
    firsts(loader, 5)
    with pytest.raises(ValueError, match=f"another loader: {next(iter(other))}"):
        loader.load_state_dict(state)
    assert loader.position == 5


# --- documents --------------------------------------------------------------------------------------------------------


def documents_of(ids: list[int], separator: int) -> list[list[int]]:
    """The documents that hold a token, each with the separators beside it."""
    borders = [-1 if ids[0] != separator else 0, *[place for place, i in enumerate(ids) if i == separator], len(ids)]
    found = []
    for left, right in itertools.pairwise(borders):
        if any(token_id != separator for token_id in ids[max(left, 0) : right]):
            found.append(ids[max(left, 0) : right + 1])
    return found


@given(
    ids=st.lists(st.sampled_from([0, 0, 1, 2, 3, 4]), min_size=2, max_size=40),
    block_size=st.integers(1, 6),
)
def test_with_a_separator_every_document_is_predicted_by_itself(ids, block_size):
    expected = []
    for document in documents_of(ids, 0):
        for start in range(0, len(document) - 1, block_size):
            inputs, targets = document[start : start + block_size], document[start + 1 : start + block_size + 1]
            inputs = inputs[: len(targets)]
            lacking = block_size - len(targets)
            expected.append((inputs + [0] * lacking, targets + [-100] * lacking))
    if not expected:
        with pytest.raises(ValueError, match="too short"):
            BatchLoader(ids, 1, block_size, separator_id=0)
        return
    assert sorted(epoch_of(BatchLoader(ids, 1, block_size, separator_id=0))) == sorted(expected)


def test_borders_are_found_across_the_parts_that_are_read(monkeypatch):
    ids = [token_id for document in range(1, 60) for token_id in [document] * (document % 13 + 1) + [0]]
    whole = epoch_of(BatchLoader(ids, 1, 5, separator_id=0))
    monkeypatch.setattr("g2c.corpus.batch_loader._SCAN_LENGTH", 7)
    assert epoch_of(BatchLoader(ids, 1, 5, separator_id=0)) == whole


# --- files ------------------------------------------------------------------------------------------------------------


def test_a_file_or_artifact_stays_on_the_disk(tmp_path, monkeypatch):
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path))
    folder = save_artifact(BPETokenizer(), "Little", [number % 256 for number in range(1000)])
    for source in ("Little", folder, folder / "ids.uint32", str(folder / "ids.uint32")):
        loader = BatchLoader(source, 4, 8)
        assert isinstance(loader.ids, np.memmap)
        assert firsts(loader, 9) == firsts(BatchLoader([number % 256 for number in range(1000)], 4, 8), 9)


# --- bad input --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"batch_size": 0}, ValueError, "batch_size is 0, but it must be at least 1"),
        ({"block_size": -1}, ValueError, "block_size is -1, but it must be at least 1"),
        ({"seed": -1}, ValueError, "seed is -1, but it must be at least 0"),
        ({"batch_size": 2.0}, TypeError, "batch_size must be an integer"),
        ({"source": [1, 2, -1, 3, 4]}, ValueError, "The ID -1 at position 2"),
        ({"source": np.zeros((5, 5), int)}, TypeError, "Token IDs"),
        ({"source": "Gone"}, MissingFileError, "There is no artifact"),
    ],
)
def test_what_is_not_valid_is_refused(arguments, error, message, tmp_path, monkeypatch):
    monkeypatch.setenv("G2C_ARTIFACTS", str(tmp_path))
    with pytest.raises(error, match=message):
        BatchLoader(**{"source": range(100), "batch_size": 2, "block_size": 4} | arguments)


# --- tensors ----------------------------------------------------------------------------------------------------------


def test_with_torch_there_are_tensors(monkeypatch):
    """With a stand-in for torch, which few machines have, with the one function that is used."""
    torch = ModuleType("torch")
    torch.from_numpy = lambda array: ("tensor", array)
    monkeypatch.setitem(sys.modules, "torch", torch)
    for kind, array in BatchLoader(range(100), 2, 4, tensors=True).next_batch():
        assert kind == "tensor" and array.shape == (2, 4)
