"""The table of merges: what it has, and which merges it refuses."""

import numpy
import pytest
from hypothesis import given
from hypothesis import strategies as st

from g2c.common.table_limits import MAX_TOKEN_BYTES
from g2c.formats.merge_table import MergeError, MergeTable, merge_table
from g2c.solutions.bpe import BPETokenizer

TRAINED = BPETokenizer(["<|end|>", "<|pad|>"])
TRAINED.train("the cat sat on the mat, the rat ate the hat " * 3, 270, progress=False)
PERMUTED = bytes(range(255, -1, -1))
NUMBERS = st.sampled_from([*range(250, 275), 0, 97, -1, 2**31 - 1, 2**31, 2**70])
OTHERS = st.sampled_from([True, 97.0, None, "97"])


def first_problem(merges, byte_ids):
    """The position of the first merge that is not valid, by going through the merges one by one."""
    known, last = set(byte_ids), max(byte_ids)
    for position, ((left, right), new_id) in enumerate(merges.items()):
        if left not in known or right not in known or not last < new_id < 2**31:
            return position
        known.add(new_id)
        last = new_id
    return None


@given(st.data(), st.sampled_from([bytes(range(256)), PERMUTED]))
def test_merges_are_refused_as_by_going_through_them_one_by_one(data, byte_ids):
    entries = list(TRAINED.merges.items())
    for place in data.draw(st.lists(st.sampled_from(range(len(entries))), max_size=2)):
        (left, right), new_id = entries[place]
        number, where = data.draw(NUMBERS), data.draw(st.sampled_from([0, 1, 2]))
        left, right, new_id = (number if i == where else old for i, old in enumerate((left, right, new_id)))
        entries[place] = (left, right), new_id
    merges = dict(entries)
    problem = first_problem(merges, byte_ids)
    if problem is None:
        table = MergeTable.of(merges, byte_ids)
        token_of = {token_id: bytes([byte]) for byte, token_id in enumerate(byte_ids)}
        for (left, right), new_id in merges.items():
            token_of[new_id] = token_of[left] + token_of[right]
        assert dict(zip(table.ids.tolist(), table.tokens)) == token_of
        assert list(zip(table.ids[table.left].tolist(), table.ids[table.right].tolist())) == list(merges)
    else:
        with pytest.raises(MergeError) as error:
            MergeTable.of(merges, byte_ids)
        assert str(list(merges)[error.value.position]) in str(error.value)
        assert error.value.position == problem or "cannot be an ID" in str(error.value), (
            "numbers that are too large come first"
        )


@given(st.sampled_from(range(12)), OTHERS, st.sampled_from(["left", "right", "new", "pair"]))
def test_what_is_no_integer_is_refused_with_the_entry(position, other, place):
    entries = [[left, right, new_id] for (left, right), new_id in TRAINED.merges.items()]
    left, right, new_id = entries[position]
    changed = {
        "left": ((other, right), new_id), "right": ((left, other), new_id), "new": ((left, right), other),
        "pair": (other, new_id),
    }[place]  # fmt: skip
    merges = {(one, two): three for one, two, three in entries[:position]} | dict([changed])
    with pytest.raises(MergeError, match="but an entry must be") as error:
        MergeTable.of(merges)
    assert error.value.position == position


def test_integers_of_numpy_are_integers():
    merges = {(numpy.int64(left), numpy.uint32(right)): numpy.int32(i) for (left, right), i in TRAINED.merges.items()}
    assert MergeTable.of(merges).tokens == MergeTable.of(TRAINED.merges).tokens


def test_tokens_that_double_are_refused_before_they_fill_the_memory():
    merges = {(97, 97): 256} | {(new_id, new_id): new_id + 1 for new_id in range(256, 1_000)}
    with pytest.raises(ValueError, match=f"in all its tokens together, which exceeds .* {MAX_TOKEN_BYTES:,}"):
        MergeTable.of(merges)


def test_a_tokenizers_table_is_built_once_until_its_merges_change():
    tokenizer = BPETokenizer()
    tokenizer.train("the the the", 258, progress=False)
    table = merge_table(tokenizer)
    assert merge_table(tokenizer) is table and merge_table(tokenizer._without_special_tokens()) is table
    tokenizer.merges[116, 116] = 258
    assert merge_table(tokenizer).tokens[-1] == b"tt"
    tokenizer.merges[116, 116] = 5
    for _ in range(2):
        with pytest.raises(MergeError, match=r"The merge \(116, 116\) -> 5 makes a wrong ID"):
            merge_table(tokenizer)
