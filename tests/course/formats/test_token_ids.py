"""ids.uint32: token IDs round trip, and what is not one is neither written nor read."""

import os
from array import array

import numpy
import psutil
import pytest
from hypothesis import given
from hypothesis import strategies as st

from g2c.common.errors import FileFormatError, MissingFileError
from g2c.formats.token_ids import load_token_ids, save_token_ids


@given(st.lists(st.integers(0, 100_000)))
def test_token_ids_round_trip(tmp_path_factory, ids):
    path = save_token_ids(ids, tmp_path_factory.getbasetemp() / "ids.uint32")
    assert path.read_bytes() == numpy.array(ids, dtype="<u4").tobytes()
    for mmap in (False, True):
        loaded = load_token_ids(path, mmap=mmap)
        assert loaded.dtype == numpy.dtype("<u4") and loaded.tolist() == ids


@pytest.mark.parametrize(
    "ids",
    [
        [1, 2**31 - 1],
        (1, 2**31 - 1),
        iter([1, 2**31 - 1]),
        (i for i in (1, 2**31 - 1)),
        array("I", [1, 2**31 - 1]),
        [numpy.int64(1), numpy.uint32(2**31 - 1)],
        *(numpy.array([1, 2**31 - 1], dtype=kind) for kind in ("<u4", ">u4", "<i4", "<i8", "<u8")),
        numpy.array([1, 7, 2**31 - 1, 7])[::2],
    ],
)
def test_ids_come_in_many_forms(tmp_path, ids):
    assert save_token_ids(ids, tmp_path / "ids").read_bytes() == b"\x01\0\0\0\xff\xff\xff\x7f"


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


def test_a_memory_map_reads_from_the_disk_and_cannot_be_written_to(tmp_path):
    path = save_token_ids([1, 2, 3], tmp_path / "ids")
    ids = load_token_ids(path, mmap=True)
    assert isinstance(ids, numpy.memmap)
    with pytest.raises(ValueError, match="read-only"):
        ids[0] = 5
    empty = load_token_ids(save_token_ids([], tmp_path / "empty"), mmap=True)
    assert empty.size == 0 and not empty.flags.writeable


def test_a_mapped_file_is_checked_without_filling_the_memory(tmp_path):
    path = tmp_path / "ids.uint32"
    numpy.zeros(20_000_000, "<u4").tofile(path)
    before = psutil.Process().memory_info().rss
    ids = load_token_ids(path, mmap=True)
    grown = psutil.Process().memory_info().rss - before
    assert len(ids) == 20_000_000
    assert grown < 40e6, f"checking {path.stat().st_size:,} mapped bytes took {grown:,} bytes of memory"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        (b"\1\0\0\0\2\0\0", "ids has 7 bytes, which is not a multiple of 4: it is truncated"),
        (b"\1\0\0\0\0\0\0\x80", "ids contains 2147483648 at position 1, but token IDs are below"),
    ],
)
@pytest.mark.parametrize("mmap", [False, True])
def test_a_file_that_holds_no_token_ids_is_refused(tmp_path, content, problem, mmap):
    (tmp_path / "ids").write_bytes(content)
    with pytest.raises(FileFormatError, match=problem):
        load_token_ids(tmp_path / "ids", mmap=mmap)
    for name, error, told in (("none", MissingFileError, "There is no file .*none"), ("", FileFormatError, "a folder")):
        with pytest.raises(error, match=told):
            load_token_ids(tmp_path / name, mmap=mmap)
