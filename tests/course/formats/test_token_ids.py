"""Token IDs in many forms become four bytes each, and what is not one is not saved."""

from array import array

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from g2c.formats.token_ids import id_blocks


def saved(ids):
    """The bytes of ids.uint32."""
    return b"".join(block.tobytes() for block in id_blocks(ids))


@given(st.lists(st.integers(0, 2**31 - 1)))
def test_ids_are_four_bytes_each(ids):
    assert saved(ids) == saved(iter(ids)) == saved(numpy.array(ids, int)) == numpy.array(ids, "<u4").tobytes()


@pytest.mark.parametrize(
    "ids",
    [
        (1, 2**31 - 1),
        (i for i in (1, 2**31 - 1)),
        array("I", [1, 2**31 - 1]),
        [numpy.int64(1), numpy.uint32(2**31 - 1)],
        *(numpy.array([1, 2**31 - 1], dtype=kind) for kind in ("<u4", ">u4", "<i4", "<i8", "<u8")),
        numpy.array([1, 7, 2**31 - 1, 7])[::2],
    ],
)
def test_ids_come_in_many_forms(ids):
    assert saved(ids) == b"\x01\0\0\0\xff\xff\xff\x7f"


def test_more_ids_than_one_block(monkeypatch):
    monkeypatch.setattr("g2c.formats.token_ids.BLOCK", 1000)
    ids = numpy.arange(2500)
    for form in (ids, ids.tolist(), iter(ids.tolist())):
        assert saved(form) == ids.astype("<u4").tobytes()
    with pytest.raises(ValueError, match="The ID -1 at position 2500 is not a token ID"):
        saved([*ids.tolist(), -1])


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
def test_what_is_not_a_token_id_is_not_saved(ids, error, problem):
    with pytest.raises(error, match=problem):
        saved(ids)
