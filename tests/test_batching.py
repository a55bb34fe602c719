"""Tests of module 04c, batches. Work through them from top to bottom:

    1. TestReadSequences   passes already: the part that is given
    2. TestPad             the IDs: a rectangle, filled up with pad_id
    3. TestMask            the mask: what is real
    4. TestSide            padding on the left
    5. TestLength          max_length and multiple_of
    6. TestEmpty           batches and sequences without anything in them
    7. TestRefusals        arguments that make no sense
    8. TestEveryBatch      all of it, on any batch

One group at a time, stopping at the first failure:

    pytest tests/test_batching.py -x -k TestPad
"""

from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach.teaching import call, check, check_raises, check_that, examples
from coach.testing.again import independent_calls
from g2c.tokenizer import pad_batch
from g2c.tokenizer.batching import read_sequences

pytestmark = pytest.mark.student("04c")


def three():
    """Make three new sequences with 5, 4 and 6 IDs, so that changes to them affect no other test."""
    return [[2, 15, 8, 12, 3], [2, 15, 8, 3], [2, 15, 8, 12, 14, 3]]


def ids_of(outcome):
    """The IDs of a batch that came back as arrays, as lists."""
    return outcome.seen_as(lambda batch: np.asarray(batch[0]).tolist(), "ids, as lists")


def mask_of(outcome):
    """The mask of a batch that came back as arrays, as lists."""
    return outcome.seen_as(lambda batch: np.asarray(batch[1]).tolist(), "attention_mask, as lists")


def both_of(outcome):
    return outcome.seen_as(
        lambda batch: (np.asarray(batch[0]).tolist(), np.asarray(batch[1]).tolist()), "ids and attention_mask, as lists"
    )


def shapes_of(outcome):
    return outcome.seen_as(lambda batch: [np.shape(part) for part in batch], "the two shapes")


def type_of(outcome, part):
    name = ("ids", "attention_mask")[part]
    return outcome.seen_as(lambda batch: str(batch[part].dtype), f"the type of what is in {name}")


class TestReadSequences:
    """The given part. These tests pass before anything is written: they show what `read_sequences` gives you."""

    def test_lists_and_arrays_come_back_as_lists(self):
        assert read_sequences([[5, 6], [], [7]], 0) == [[5, 6], [], [7]]
        assert read_sequences(np.array([[5, 6], [7, 8]], dtype=np.uint32), 0) == [[5, 6], [7, 8]]
        assert all(type(token_id) is int for row in read_sequences([np.array([5, 6])], 0) for token_id in row)
        assert read_sequences([], 0) == []

    def test_the_lists_are_new(self):
        mine = [[5, 6], [7]]
        rows = read_sequences(mine, 0)
        rows[0].append(8)
        assert mine == [[5, 6], [7]]

    @pytest.mark.parametrize("sequences", [[5, 6, 7], ["abc"], [[5], 6], "abc"], ids=["IDs", "a text", "one ID", "str"])
    def test_a_single_sequence_is_not_a_batch(self, sequences):
        with pytest.raises(TypeError, match="list of sequences"):
            read_sequences(sequences, 0)

    @pytest.mark.parametrize("wrong", [1.5, "a", None, True, [1]], ids=["float", "str", "None", "bool", "list"])
    def test_what_is_not_a_whole_number_is_named(self, wrong):
        with pytest.raises(TypeError, match="sequence 1 holds"):
            read_sequences([[1], [2, wrong]], 0)

    @pytest.mark.parametrize("pad_id", [None, 0.0, "<|pad|>"], ids=["None", "float", "str"])
    def test_a_pad_id_is_a_whole_number(self, pad_id):
        with pytest.raises(TypeError, match="pad_id"):
            read_sequences([[1]], pad_id)


class TestPad:
    """The IDs: short rows are filled up to the length of the longest."""

    @pytest.mark.core
    def test_three_sequences(self):
        check(
            ids_of(call(pad_batch, three(), 0)),
            [[2, 15, 8, 12, 3, 0], [2, 15, 8, 3, 0, 0], [2, 15, 8, 12, 14, 3]],
            idea="The longest sequence has 6 IDs, so the others get 1 and 2 pad IDs after their last one.",
            pitfall="length",
        )

    def test_the_shape_is_batch_by_length(self):
        check(
            shapes_of(call(pad_batch, three(), 0)),
            [(3, 6), (3, 6)],
            idea="There are 3 sequences and the longest has 6 IDs: both arrays have this shape.",
            pitfall="types",
        )

    @pytest.mark.core
    def test_the_padding_is_pad_id(self):
        check(
            ids_of(call(pad_batch, [[5, 6, 7], [8]], 263)),
            [[5, 6, 7], [8, 263, 263]],
            idea="Each tokenizer has its own pad ID; the course's <|pad|> is 263.",
            pitfall="pad-id",
        )

    def test_every_row_holds_its_own_sequence(self):
        check(
            ids_of(call(pad_batch, [[1, 2], [3], [4, 128_009]], 0)),
            [[1, 2], [3, 0], [4, 128_009]],
            idea="The rows keep their order and share nothing. IDs of a large vocabulary have more than 16 bits.",
            pitfall="one-row",
        )

    @pytest.mark.parametrize("part", [0, 1], ids=["ids", "attention_mask"])
    def test_both_are_int64_arrays(self, part):
        check(
            type_of(call(pad_batch, three(), 0), part),
            "int64",
            idea="An embedding table is indexed with 64-bit integers.",
            pitfall="types",
        )

    def test_arrays_as_sequences(self):
        check(
            ids_of(call(pad_batch, [np.array([5, 6], dtype=np.uint32), np.array([7], dtype=np.uint32)], 0)),
            [[5, 6], [7, 0]],
            idea="Saved IDs are loaded as arrays.",
            pitfall="types",
        )

    def test_an_array_as_the_batch(self):
        check(
            ids_of(call(pad_batch, np.array([[5, 6], [7, 8]]), 0)),
            [[5, 6], [7, 8]],
            idea="An array of two rows is a batch of two sequences.",
            pitfall="types",
        )

    def test_lists_on_request(self):
        check(
            call(pad_batch, [[5, 6, 7], [8]], 0, as_lists=True),
            ([[5, 6, 7], [8, 0, 0]], [[1, 1, 1], [1, 0, 0]]),
            idea="as_lists=True: the same two rectangles as lists of lists.",
            pitfall="types",
        )

    def test_the_callers_lists_stay_as_they_are(self):
        outcome = call(pad_batch, [[5, 6, 7], [8]], 0)
        check(
            outcome.argument(0),
            [[5, 6, 7], [8]],
            idea="The sequences belong to the caller.",
            pitfall="mutated-argument",
        )

    def test_the_callers_lists_keep_their_length(self):
        outcome = call(pad_batch, [[5, 6, 7], [8]], 0, side="left", max_length=2)
        check(
            outcome.argument(0),
            [[5, 6, 7], [8]],
            idea="Cutting makes new rows; the sequences belong to the caller.",
            pitfall="mutated-argument",
        )

    @pytest.mark.in_process
    def test_every_call_makes_a_new_batch(self):
        call(pad_batch, [[5, 6], [7]], 0).value[0][:] = 9
        check(
            ids_of(call(pad_batch, [[5, 6], [7]], 0)),
            [[5, 6], [7, 0]],
            idea="The caller filled the first call's arrays with 9; this call must return new arrays.",
            pitfall="mutated-argument",
        )

    def test_lists_that_come_back_are_new(self):
        outcome = call(pad_batch, [[5, 6], [5, 6]], 0, as_lists=True)
        rows = [*outcome.call.passed[0], *outcome.value[0], *outcome.value[1]]
        check_that(
            len({id(row) for row in rows}) == len(rows),
            outcome,
            "rows that are new lists, each of its own",
            idea="Changing a row of the batch must not change the sequences or another row.",
            pitfall="mutated-argument",
            mistake="returns_the_callers_rows",
        )


class TestMask:
    """The attention mask: 1 for real IDs, 0 for padding."""

    @pytest.mark.core
    def test_three_sequences(self):
        check(
            mask_of(call(pad_batch, three(), 0)),
            [[1, 1, 1, 1, 1, 0], [1, 1, 1, 1, 0, 0], [1, 1, 1, 1, 1, 1]],
            idea="The mask has a 1 for each ID of the sequence, and zeros for the rest.",
            pitfall="mask",
        )

    def test_the_id_0_is_real(self):
        check(
            mask_of(call(pad_batch, [[0, 5], [0]], 263)),
            [[1, 1], [1, 0]],
            idea="0 is an ID like any other, though it counts as false.",
            pitfall="mask",
        )

    def test_a_real_id_that_equals_pad_id_is_real(self):
        # Many models pad with <|endoftext|>, which also ends every document.
        check(
            both_of(call(pad_batch, [[5, 0, 0, 6], [0]], 0)),
            ([[5, 0, 0, 6], [0, 0, 0, 0]], [[1, 1, 1, 1], [1, 0, 0, 0]]),
            idea="The lengths say what is padding; the IDs do not.",
            pitfall="mask",
        )


class TestSide:
    """Padding on the left, for models that generate."""

    @pytest.mark.core
    def test_the_padding_comes_first(self):
        check(
            ids_of(call(pad_batch, three(), 0, side="left")),
            [[0, 2, 15, 8, 12, 3], [0, 0, 2, 15, 8, 3], [2, 15, 8, 12, 14, 3]],
            idea="All rows end with their last real ID; the IDs keep their order.",
            pitfall="side",
        )

    def test_the_mask_goes_with_it(self):
        check(
            mask_of(call(pad_batch, three(), 0, side="left")),
            [[0, 1, 1, 1, 1, 1], [0, 0, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1]],
            idea="The mask has its zeros where the IDs have their padding.",
            pitfall="side",
        )

    def test_an_empty_sequence_on_the_left(self):
        check(
            both_of(call(pad_batch, [[5, 6], []], 0, side="left")),
            ([[5, 6], [0, 0]], [[1, 1], [0, 0]]),
            idea="An empty sequence is a row of padding, with a mask of zeros.",
            pitfall="empty",
        )

    def test_a_side_that_is_read_from_somewhere(self):
        side = "LEFT".lower()
        check(
            ids_of(call(pad_batch, [[5, 6], [7]], 0, side=side)),
            [[5, 6], [0, 7]],
            idea="Compare text with ==. `side is 'left'` asks whether it is the same object; equal texts need not be.",
            pitfall="side",
        )

    def test_max_length_keeps_the_beginning_on_either_side(self):
        check(
            both_of(call(pad_batch, [[5, 6, 7], [8]], 0, side="left", max_length=2)),
            ([[5, 6], [0, 8]], [[1, 1], [0, 1]]),
            idea="side says where the padding goes; truncation always cuts the end.",
            pitfall="truncation",
        )


class TestLength:
    """`max_length` cuts, `multiple_of` rounds up."""

    def test_longer_sequences_are_cut(self):
        check(
            both_of(call(pad_batch, three(), 0, max_length=5)),
            ([[2, 15, 8, 12, 3], [2, 15, 8, 3, 0], [2, 15, 8, 12, 14]], [[1] * 5, [1, 1, 1, 1, 0], [1] * 5]),
            idea="The first 5 IDs of each are kept.",
            pitfall="truncation",
        )

    def test_shorter_batches_are_not_made_longer(self):
        check(
            shapes_of(call(pad_batch, [[5, 6, 7], [8]], 0, max_length=10)),
            [(2, 3), (2, 3)],
            idea="max_length is a limit, not a goal: padding that nobody needs costs time.",
            pitfall="truncation",
        )

    def test_a_max_length_of_0_cuts_everything(self):
        check(
            shapes_of(call(pad_batch, [[5, 6], [7]], 0, max_length=0)),
            [(2, 0), (2, 0)],
            idea="0 is a length; only None means that nothing is cut.",
            pitfall="truncation",
        )

    def test_the_length_is_rounded_up(self):
        check(
            both_of(call(pad_batch, [[5, 6, 7, 8, 9], [5]], 0, multiple_of=4)),
            ([[5, 6, 7, 8, 9, 0, 0, 0], [5, 0, 0, 0, 0, 0, 0, 0]], [[1] * 5 + [0] * 3, [1] + [0] * 7]),
            idea="5 rounded up to a multiple of 4 is 8.",
            pitfall="multiple-of",
        )

    def test_a_multiple_stays_as_it_is(self):
        check(
            shapes_of(call(pad_batch, [[5, 6, 7, 8], [5]], 0, multiple_of=4)),
            [(2, 4), (2, 4)],
            idea="4 is a multiple of 4 already.",
            pitfall="multiple-of",
        )

    def test_multiples_of_1_change_nothing(self):
        check(
            shapes_of(call(pad_batch, [[5, 6, 7], [5]], 0, multiple_of=1)),
            [(2, 3), (2, 3)],
            idea="Every length is a multiple of 1.",
            pitfall="multiple-of",
        )

    def test_rounding_comes_after_cutting(self):
        check(
            both_of(call(pad_batch, [[5, 6, 7, 8, 9, 10, 11], [5]], 0, max_length=5, multiple_of=4)),
            ([[5, 6, 7, 8, 9, 0, 0, 0], [5, 0, 0, 0, 0, 0, 0, 0]], [[1] * 5 + [0] * 3, [1] + [0] * 7]),
            idea="Cut to 5, then rounded up to 8: padding may exceed max_length, tokens may not.",
            pitfall="multiple-of",
        )

    def test_rounding_looks_at_what_is_left_after_cutting(self):
        check(
            shapes_of(call(pad_batch, [[5, 6, 7, 8, 9, 10, 11]], 0, max_length=3, multiple_of=4)),
            [(1, 4), (1, 4)],
            idea="Cut to 3, then rounded up to 4; the original length, 7, no longer matters.",
            pitfall="truncation",
        )

    @pytest.mark.parametrize(("side", "row"), [("right", [-7, -100, -100]), ("left", [-100, -100, -7])])
    def test_a_negative_pad_id(self, side, row):
        check(
            ids_of(call(pad_batch, [[5, 2**40], [-7]], pad_id=-100, side=side, multiple_of=3)),
            [[5, 2**40, -100] if side == "right" else [-100, 5, 2**40], row],
            idea="Targets are padded with -100, which the loss ignores. Treat it like any other ID.",
            pitfall="pad-id",
        )

    def test_lists_with_all_options(self):
        outcome = call(pad_batch, [[5, 6, 7], [8]], 0, side="left", max_length=2, multiple_of=3, as_lists=True)
        check(
            outcome,
            ([[0, 5, 6], [0, 0, 8]], [[0, 1, 1], [0, 0, 1]]),
            idea="as_lists=True: the same two rectangles as lists of lists.",
            pitfall="types",
        )
        check(
            outcome.seen_as(lambda batch: type(batch[0][0][1]).__name__, "the type of an ID"),
            "int",
            idea="The lists contain Python's own numbers, which can be written to a JSON file.",
            pitfall="types",
        )

    def test_rounding_on_the_left(self):
        check(
            both_of(call(pad_batch, [[5, 6, 0, 8], [0]], 0, side="left", multiple_of=3)),
            ([[0, 0, 5, 6, 0, 8], [0] * 6], [[0, 0, 1, 1, 1, 1], [0, 0, 0, 0, 0, 1]]),
            idea="The length is rounded up, so even the longest row has padding, on the left.",
            pitfall="multiple-of",
        )


class TestEmpty:
    """Empty batches and sequences: rare, but they can end a run after hours."""

    @pytest.mark.parametrize("multiple_of", [None, 4], ids=["as it is", "rounded up"])
    def test_only_empty_sequences(self, multiple_of):
        outcome = call(pad_batch, [[], []], 0, multiple_of=multiple_of)
        check(shapes_of(outcome), [(2, 0), (2, 0)], idea="Two rows of length 0.", pitfall="empty")

    @pytest.mark.parametrize("multiple_of", [None, 8], ids=["as it is", "rounded up"])
    def test_no_sequence(self, multiple_of):
        check(
            shapes_of(call(pad_batch, [], 0, multiple_of=multiple_of)),
            [(0, 0), (0, 0)],
            idea="There are no rows, and nothing that could have a length: a rectangle of 0 by 0.",
            pitfall="empty",
        )

    @pytest.mark.parametrize("part", [0, 1], ids=["ids", "attention_mask"])
    def test_no_sequence_is_int64_too(self, part):
        check(
            type_of(call(pad_batch, [], 0), part),
            "int64",
            idea="numpy takes an empty list for a list of floats.",
            pitfall="types",
        )

    def test_no_sequence_as_lists(self):
        check(call(pad_batch, [], 0, as_lists=True), ([], []), idea="No rows.", pitfall="empty")


class TestRefusals:
    """Arguments that make no sense raise an error at once, and the message says why."""

    @pytest.mark.parametrize("side", ["middle", "Left", "", None], ids=["middle", "capital", "empty", "None"])
    def test_an_unknown_side(self, side):
        check_raises(
            call(pad_batch, [[5, 6], [7]], 0, side=side),
            ValueError,
            saying="side",
            idea="A misspelled side must not turn into the other side.",
            pitfall="refusals",
        )

    def test_a_negative_max_length(self):
        check_raises(
            call(pad_batch, [[5, 6, 7], [8]], 0, max_length=-1),
            ValueError,
            saying="max_length",
            idea="row[:-1] is not an error in Python: it silently drops the last ID.",
            pitfall="refusals",
        )

    @pytest.mark.parametrize("multiple_of", [0, -4])
    def test_a_multiple_below_1(self, multiple_of):
        check_raises(
            call(pad_batch, [[5, 6, 7], [8]], 0, multiple_of=multiple_of),
            ValueError,
            saying="multiple_of",
            idea="There is no multiple of 0 to round up to.",
            pitfall="refusals",
        )

    @pytest.mark.parametrize(("name", "value"), [("side", "middle"), ("max_length", -7), ("multiple_of", -4)], ids=str)
    @pytest.mark.parametrize("sequences", [[[5, 6, 7], [8]], []], ids=["a batch", "no sequence"])
    def test_the_message_holds_the_value(self, name, value, sequences):
        check_raises(
            call(pad_batch, sequences, 0, **{name: value}),
            ValueError,
            saying=str(value),
            idea="Name the argument and its value. Check first: an invalid argument is invalid for an empty batch too.",
            pitfall="refusals",
        )

    @pytest.mark.parametrize("sequences", [[5, 6, 7], [[5, 6], [7.5]]], ids=["one sequence", "float"])
    def test_what_is_not_a_batch_of_ids(self, sequences):
        check_raises(
            call(pad_batch, sequences, 0),
            TypeError,
            idea="read_sequences checks the batch; np.array would silently round 7.5 down.",
            pitfall="types",
        )

    def test_calls_are_independent(self):
        with independent_calls(pad_batch, see=both_of) as pad:
            pad([[5, 6], [7]], 0, side="left", gives=([[5, 6], [0, 7]], [[1, 1], [0, 1]]))
            pad([[5, 6], [7]], 0, gives=([[5, 6], [7, 0]], [[1, 1], [1, 0]]))
            pad([[8, 9], [4]], 0, max_length=1, gives=([[8], [4]], [[1], [1]]))
            pad([[8], [4]], 0, multiple_of=2, gives=([[8, 0], [4, 0]], [[1, 0], [1, 0]]))
            pad([[70_000], [4]], 0, gives=([[70_000], [4]], [[1], [1]]))
            long = [[5] * 5_000, [6] + [0] * 4_999], [[1] * 5_000, [1] + [0] * 4_999]
            pad([[5] * 5_000, [6]], 0, gives=long)


batches = st.lists(st.lists(st.integers(0, 9), max_size=7), max_size=6)
sides = st.sampled_from(["right", "left"])


class TestEveryBatch:
    """All of it together, on any batch."""

    @examples
    @given(sequences=batches, pad_id=st.integers(0, 9), side=sides)
    def test_the_mask_gives_the_sequences_back(self, sequences, pad_id, side):
        outcome = call(pad_batch, deepcopy(sequences), pad_id, side=side)
        ids, mask = outcome.value
        kept = outcome.seen_as(
            lambda batch: [[i for i, real in zip(*rows) if real] for rows in zip(batch[0].tolist(), batch[1].tolist())],
            "the IDs where the mask has a 1",
        )
        check(kept, sequences, idea="Padding keeps every real ID.", pitfall="mask")

    @examples
    @given(
        sequences=batches,
        side=sides,
        max_length=st.none() | st.integers(0, 8),
        multiple_of=st.none() | st.integers(1, 5),
    )
    def test_lists_and_arrays_are_the_same_batch(self, sequences, side, max_length, multiple_of):
        options = {"side": side, "max_length": max_length, "multiple_of": multiple_of}
        lists = call(pad_batch, deepcopy(sequences), 0, as_lists=True, **options).value
        check(
            both_of(call(pad_batch, deepcopy(sequences), 0, **options)),
            lists,
            idea="as_lists changes what holds the numbers, not the numbers.",
            pitfall="types",
        )

    @examples
    @given(sequences=batches, max_length=st.none() | st.integers(0, 8), multiple_of=st.none() | st.integers(1, 5))
    def test_the_length_is_as_small_as_allowed(self, sequences, max_length, multiple_of):
        lengths = [len(sequence) if max_length is None else min(len(sequence), max_length) for sequence in sequences]
        expected = next(n for n in range(100) if n >= max(lengths, default=0) and n % (multiple_of or 1) == 0)
        check(
            shapes_of(call(pad_batch, deepcopy(sequences), 0, max_length=max_length, multiple_of=multiple_of)),
            [(len(sequences), expected)] * 2,
            idea="The batch is as long as the longest remaining row, plus only the padding that multiple_of needs.",
            pitfall="multiple-of",
        )
