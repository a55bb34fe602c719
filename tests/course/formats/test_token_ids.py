"""ids.uint32: token IDs round trip, and what is not one is neither written nor read."""

import os
from array import array

import numpy
import psutil
import pytest

from coach.common.errors import FileFormatError, MissingFileError
from g2c.formats.token_ids import load_token_ids, save_token_ids

LAST = 2**31 - 1


@pytest.mark.parametrize(
    "ids",
    [
        [1, LAST],
        (1, LAST),
        (i for i in (1, LAST)),
        array("I", [1, LAST]),
        [numpy.int64(1), numpy.uint64(LAST)],
        *(numpy.array([1, LAST], dtype=kind) for kind in ("<u4", ">u4", "<i4", "<i8", "<u8")),
        numpy.array([1, 7, LAST, 7])[::2],
    ],
)
def test_ids_come_in_many_forms(tmp_path, ids):
    path = save_token_ids(ids, tmp_path / "ids")
    assert path.read_bytes() == b"\x01\0\0\0\xff\xff\xff\x7f"
    for mmap in (False, True):
        loaded = load_token_ids(path, mmap=mmap)
        assert (loaded.dtype, loaded.tolist()) == (numpy.dtype("<u4"), [1, LAST])


def test_more_ids_than_one_block(tmp_path, monkeypatch):
    monkeypatch.setattr("g2c.formats.token_ids.BLOCK_IDS", 1000)
    ids = numpy.arange(2500)
    for form in (ids, ids.tolist(), iter(ids.tolist())):
        assert numpy.array_equal(load_token_ids(save_token_ids(form, tmp_path / "ids")), ids)
    with pytest.raises(ValueError, match="The ID -1 at position 2500 is not a token ID"):
        save_token_ids([*ids.tolist(), -1], tmp_path / "ids")
    assert numpy.array_equal(load_token_ids(tmp_path / "ids"), ids)


@pytest.mark.parametrize(
    ("ids", "error", "problem"),
    [
        ([1, -1], ValueError, "The ID -1 at position 1 is not a token ID: IDs go from 0 to 2147483647"),
        ([2**70], ValueError, f"{2**70}, but token IDs are below"),
        (numpy.array([5, 2**63], dtype="u8"), ValueError, f"The ID {2**63} at position 1"),
        ([1, 2.0], TypeError, "must be integers: 'float' object"),
        ([[1, 2]], TypeError, "must be integers: 'list' object"),
        ("text", TypeError, "of type str: encode the text first"),
        (numpy.array([1.0]), TypeError, "this one is 1-dimensional and of type float64"),
        (numpy.array([[1]]), TypeError, "this one is 2-dimensional"),
    ],
)
def test_what_is_not_a_token_id_is_not_saved(tmp_path, ids, error, problem):
    path = save_token_ids([1, 2, 3], tmp_path / "ids")
    with pytest.raises(error, match=problem):
        save_token_ids(ids, path)
    assert load_token_ids(path).tolist() == [1, 2, 3]
    assert os.listdir(tmp_path) == ["ids"]


def test_a_memory_map_cannot_be_written_to_and_is_checked_without_filling_the_memory(tmp_path):
    path = tmp_path / "ids"
    numpy.zeros(20_000_000, "<u4").tofile(path)
    before = psutil.Process().memory_info().rss
    ids = load_token_ids(path, mmap=True)
    grown = psutil.Process().memory_info().rss - before
    assert isinstance(ids, numpy.memmap) and len(ids) == 20_000_000
    assert grown < 40e6, f"checking {path.stat().st_size:,} mapped bytes took {grown:,} bytes of memory"
    for one in (ids, load_token_ids(save_token_ids([], tmp_path / "empty"), mmap=True)):
        assert not one.flags.writeable


@pytest.mark.parametrize(
    ("name", "error", "problem"),
    [
        ("short", FileFormatError, "short has 7 bytes, which is not a multiple of 4: it is truncated"),
        ("large", FileFormatError, "large contains 2147483648 at position 1, but token IDs are below"),
        ("none", MissingFileError, "There is no file .*none"),
        ("", FileFormatError, "a folder"),
    ],
)
@pytest.mark.parametrize("mmap", [False, True])
def test_a_file_that_holds_no_token_ids_is_refused(tmp_path, name, error, problem, mmap):
    (tmp_path / "short").write_bytes(b"\1\0\0\0\2\0\0")
    (tmp_path / "large").write_bytes(b"\1\0\0\0\0\0\0\x80")
    with pytest.raises(error, match=problem):
        load_token_ids(tmp_path / name, mmap=mmap)
