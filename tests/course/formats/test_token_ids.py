"""ids.uint32: token IDs round trip, and what is not one is neither written nor read."""

from array import array

import numpy
import pytest

from coach.common.errors import FileFormatError
from g2c.formats.token_ids import id_blocks, read_ids

LAST = 2**31 - 1


def written(ids):
    """The bytes of ids.uint32."""
    return b"".join(block.data for block in id_blocks(ids))


@pytest.mark.parametrize(
    "ids",
    [
        [1, LAST],
        (i for i in (1, LAST)),
        array("I", [1, LAST]),
        [numpy.int64(1), numpy.uint64(LAST)],
        *(numpy.array([1, LAST], dtype=kind) for kind in ("<u4", ">u4", "<i4", "<i8", "<u8")),
        numpy.array([1, 7, LAST, 7])[::2],
    ],
)
def test_ids_come_in_many_forms(tmp_path, ids):
    (tmp_path / "ids").write_bytes(written(ids))
    assert (tmp_path / "ids").read_bytes() == b"\x01\0\0\0\xff\xff\xff\x7f"
    for mmap in (False, True):
        loaded = read_ids(tmp_path / "ids", mmap=mmap)
        assert (loaded.dtype, loaded.tolist(), loaded.flags.writeable) == (numpy.dtype("<u4"), [1, LAST], not mmap)


def test_more_ids_than_one_block(monkeypatch):
    monkeypatch.setattr("g2c.formats.token_ids.BLOCK_IDS", 1000)
    ids = numpy.arange(2500)
    for form in (ids, ids.tolist(), iter(ids.tolist())):
        assert written(form) == ids.astype("<u4").tobytes()
    with pytest.raises(ValueError, match="The ID -1 at position 2500 is not a token ID"):
        written([*ids.tolist(), -1])


@pytest.mark.parametrize(
    ("ids", "error", "problem"),
    [
        ([1, -1], ValueError, "The ID -1 at position 1 is not a token ID: IDs go from 0 to 2147483647"),
        (numpy.array([5, 2**63], dtype="u8"), ValueError, f"The ID {2**63} at position 1"),
        ([1, 2.0], TypeError, "must be integers: 'float' object"),
        ("text", TypeError, "of type str: encode the text first"),
        (numpy.array([1.0]), TypeError, "this one is 1-dimensional and of type float64"),
        (numpy.array([[1]]), TypeError, "this one is 2-dimensional"),
    ],
)
def test_what_is_not_a_token_id_is_not_written(ids, error, problem):
    with pytest.raises(error, match=problem):
        written(ids)


@pytest.mark.parametrize("mmap", [False, True])
def test_a_truncated_file_is_refused(tmp_path, mmap):
    (tmp_path / "short").write_bytes(b"\1\0\0\0\2\0\0")
    with pytest.raises(FileFormatError, match="short has 7 bytes, which is not a multiple of 4: it is truncated"):
        read_ids(tmp_path / "short", mmap=mmap)
