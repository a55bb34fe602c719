"""Tests of module 04c, batches. Work through them from top to bottom:

    1. TestPadBatch         passes already: the part that is given
    2. TestWindows          write windows: inputs, and targets one token later
    3. TestStride           windows that overlap, and invalid arguments
    4. TestLossMask         write loss_mask: the targets that the assistant writes
    5. TestTurns            several turns, other markers, markers that a user typed
    6. TestDocuments        write document_windows: each document by itself
    7. TestDocumentEdges    separators at the ends or next to each other, and empty corpora
    8. TestEveryStream      all three together, on random streams

One group at a time, stopping at the first failure:

    pytest tests/test_batching.py -x -k TestWindows
"""

import itertools
from copy import deepcopy

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach.teaching import call, check, check_raises, examples
from coach.testing.again import independent_calls
from g2c.tokenizer import document_windows, loss_mask, pad_batch, windows

pytestmark = pytest.mark.student("04c")

SYSTEM, USER, ASSISTANT, TOOL_CALL, TOOL_RESULT, END = 257, 258, 259, 260, 261, 262
"""The course's special tokens."""

STREAM = [12, 7, 31, 5, 90, 4, 18, 2]


def message(role, text):
    """A message as token IDs, with the text's bytes, as from a tokenizer without merges."""
    return [role, *f"\n{text}".encode(), END]


def both_of(outcome):
    """Inputs and targets as lists."""
    return outcome.seen_as(lambda pair: tuple(np.asarray(part).tolist() for part in pair), "inputs and targets")


def shapes_of(outcome):
    return outcome.seen_as(lambda pair: [np.shape(part) for part in pair], "the two shapes")


def types_of(outcome):
    return outcome.seen_as(lambda pair: [str(part.dtype) for part in pair], "the types of inputs and targets")


def mask_of(outcome):
    return outcome.seen_as(lambda mask: np.asarray(mask).tolist(), "the mask, as a list")


def check_answers(*messages, idea, pitfall):
    """Check the mask of a conversation of (role, text): what follows the marker of an assistant's message counts."""
    parts = [(role, message(role, text)) for role, text in messages]
    ids = [token_id for _, part in parts for token_id in part]
    counts = [int(role == ASSISTANT and place > 0) for role, part in parts for place in range(len(part))]
    check(mask_of(call(loss_mask, ids, ASSISTANT, END)), counts[1:], idea=idea, pitfall=pitfall)


class TestPadBatch:
    """The given part. These tests pass before anything is written: they show what `pad_batch` does."""

    def test_short_rows_are_padded_and_the_mask_marks_what_is_real(self):
        ids, mask = pad_batch([[2, 15, 8], [], np.array([0, 70_000], np.uint32)], 263)
        assert ids.tolist() == [[2, 15, 8], [263, 263, 263], [0, 70_000, 263]]
        assert mask.tolist() == [[1, 1, 1], [0, 0, 0], [1, 1, 0]]
        assert ids.dtype == mask.dtype == np.int64

    def test_padding_on_the_left_keeps_the_order_of_the_ids(self):
        ids, mask = pad_batch([[5, 6, 7], [8], []], 0, side="left")
        assert ids.tolist() == [[5, 6, 7], [0, 0, 8], [0, 0, 0]]
        assert mask.tolist() == [[1, 1, 1], [0, 0, 1], [0, 0, 0]]

    def test_a_real_id_that_equals_pad_id_is_real(self):
        assert pad_batch([[5, 0, 0, 6], [0]], 0)[1].tolist() == [[1, 1, 1, 1], [1, 0, 0, 0]]

    @pytest.mark.parametrize(
        ("max_length", "rows"), [(0, [[], []]), (2, [[5, 6], [8, 9]]), (9, [[5, 6, 7], [8, 0, 9]])]
    )
    def test_max_length_keeps_the_first_ids(self, max_length, rows):
        sequences = [[5, 6, 7], [8, 9]] if max_length < 9 else [[5, 6, 7], [8, 0, 9]]
        for side in ("right", "left"):
            assert pad_batch(sequences, 0, side=side, max_length=max_length)[0].tolist() == rows
        assert len(sequences[0]) == 3, "the caller's lists stay as they are"

    @pytest.mark.parametrize(("sequences", "shape"), [([], (0, 0)), ([[], []], (2, 0))], ids=["no row", "no ID"])
    def test_an_empty_batch_has_two_axes(self, sequences, shape):
        assert [(part.shape, part.dtype) for part in pad_batch(sequences, 0)] == [(shape, np.int64)] * 2

    @pytest.mark.parametrize(("name", "value"), [("side", "middle"), ("side", None), ("max_length", -7)])
    def test_an_invalid_option_is_named(self, name, value):
        with pytest.raises(ValueError, match=f"{name} must .*{value}"):
            pad_batch([], 0, **{name: value})

    @pytest.mark.parametrize("sequences", [[5, 6], ["abc"], [[5], [6.5]], [[5], [True]]])
    def test_anything_other_than_sequences_of_ids_is_refused(self, sequences):
        with pytest.raises(TypeError, match="sequences of token IDs|sequence 1 holds"):
            pad_batch(sequences, 0)
        with pytest.raises(TypeError, match="pad_id"):
            pad_batch([], "<|pad|>")

    def test_position_ids_for_padding_on_the_left(self):
        _, mask = pad_batch([[5, 6, 7], [8]], 0, side="left")
        positions = mask.cumsum(axis=1) - 1
        positions[mask == 0] = 0
        assert positions.tolist() == [[0, 1, 2], [0, 0, 0]]


class TestWindows:
    """Inputs, and targets one token later."""

    @pytest.mark.core
    def test_a_stream(self):
        check(
            both_of(call(windows, [*STREAM, 44, 9, 23], 3)),
            ([[12, 7, 31], [5, 90, 4], [18, 2, 44]], [[7, 31, 5], [90, 4, 18], [2, 44, 9]]),
            idea="The target of each input is the token after it; the next window starts where the last one ended.",
            pitfall="shift",
        )

    @pytest.mark.core
    def test_the_last_input_needs_a_target(self):
        check(
            both_of(call(windows, [12, 7, 31, 5, 90, 4], 3)),
            ([[12, 7, 31]], [[7, 31, 5]]),
            idea="Nothing follows the last ID, so it can be a target but no input: 6 IDs give one window of 3.",
            pitfall="last-window",
        )

    @pytest.mark.core
    def test_what_does_not_fill_a_window_is_left_out(self):
        check(
            both_of(call(windows, [1, 2, 3, 4, 5, 6, 7, 8, 9], 4)),
            ([[1, 2, 3, 4], [5, 6, 7, 8]], [[2, 3, 4, 5], [6, 7, 8, 9]]),
            idea="9 IDs give exactly two windows of 4.",
            pitfall="last-window",
        )
        check(
            both_of(call(windows, [1, 2, 3, 4, 5, 6, 7, 8], 4)),
            ([[1, 2, 3, 4]], [[2, 3, 4, 5]]),
            idea="The second window would lack its last target; there are only full windows.",
            pitfall="last-window",
        )

    def test_windows_of_one_token(self):
        check(
            both_of(call(windows, [5, 70_000, 0, 6], 1)),
            ([[5], [70_000], [0]], [[70_000], [0], [6]]),
            idea="With a length of 1, every ID but the last is an input. IDs may have more than 16 bits.",
            pitfall="last-window",
        )

    @pytest.mark.parametrize("ids", [[], [5], [5, 6, 7]], ids=["no ID", "one", "as many as a window has"])
    def test_a_stream_that_is_too_short(self, ids):
        check(
            shapes_of(call(windows, ids[:], 3)),
            [(0, 3), (0, 3)],
            idea="Without any window, an array still has two axes: no row, and 3 columns.",
            pitfall="empty",
        )

    def test_both_are_int64_arrays(self):
        for ids in (STREAM[:], np.array(STREAM, dtype=np.uint32), []):
            check(
                types_of(call(windows, ids, 3)),
                ["int64", "int64"],
                idea="PyTorch's loss takes targets of 64 bits, whatever the type in which IDs are stored.",
                pitfall="types",
            )

    def test_saved_ids_are_an_array(self):
        check(
            both_of(call(windows, np.array(STREAM, dtype=np.uint32), 2)),
            ([[12, 7], [31, 5], [90, 4]], [[7, 31], [5, 90], [4, 18]]),
            idea="An array of IDs is cut as a list of them.",
            pitfall="types",
        )

    def test_the_callers_list_stays_as_it_is(self):
        outcome = call(windows, [1, 2, 3, 4, 5, 6], 2)
        check(outcome.argument(0), [1, 2, 3, 4, 5, 6], idea="The IDs belong to the caller.", pitfall="mutated-argument")

    @pytest.mark.in_process
    def test_the_arrays_share_no_memory(self):
        outcome = call(windows, np.array([1, 2, 3, 4, 5]), 2)
        idea = "Whoever sets targets to -100 must change neither the inputs nor the IDs."
        check(
            outcome.seen_as(lambda pair: np.shares_memory(*pair), "whether inputs and targets share memory"),
            False,
            idea=idea,
            pitfall="mutated-argument",
        )
        ids = outcome.call.passed[0]
        check(
            outcome.seen_as(
                lambda pair: any(np.shares_memory(ids, one) for one in pair),
                "whether either shares memory with the IDs",
            ),
            False,
            idea=idea,
            pitfall="mutated-argument",
        )


class TestStride:
    """Windows that overlap, and arguments that make no sense."""

    @pytest.mark.core
    def test_windows_that_overlap(self):
        check(
            both_of(call(windows, STREAM[:7], 3, stride=2)),
            ([[12, 7, 31], [31, 5, 90]], [[7, 31, 5], [5, 90, 4]]),
            idea="The starts are 0 and 2. At 4, the last input would have no target.",
            pitfall="stride",
        )

    def test_a_window_at_every_token(self):
        check(
            both_of(call(windows, [1, 2, 3, 4, 5], 2, stride=1)),
            ([[1, 2], [2, 3], [3, 4]], [[2, 3], [3, 4], [4, 5]]),
            idea="With a stride of 1, all windows that have their targets.",
            pitfall="stride",
        )

    def test_a_stride_longer_than_a_window(self):
        check(
            both_of(call(windows, [1, 2, 3, 4, 5, 6, 7, 8], 2, stride=5)),
            ([[1, 2], [6, 7]], [[2, 3], [7, 8]]),
            idea="The stride is the distance between starts, so here windows have gaps between them.",
            pitfall="stride",
        )

    @pytest.mark.parametrize(("name", "value"), [("length", 0), ("length", -7), ("stride", 0), ("stride", -7)])
    def test_a_size_below_1_is_named(self, name, value):
        for ids, stride in ((STREAM[:], 2), ([], 2), (STREAM[:], None)):
            options = {"length": 3, "stride": stride} | {name: value}
            for word in (name, str(value)):
                check_raises(
                    call(windows, deepcopy(ids), options["length"], stride=options["stride"]),
                    ValueError,
                    saying=word,
                    idea="Check first, whatever the IDs are, and name the argument and its value.",
                    pitfall="refusals",
                )

    def test_calls_are_independent(self):
        with independent_calls(windows, see=both_of) as cut:
            cut([1, 2, 3, 4, 5], 2, stride=1, gives=([[1, 2], [2, 3], [3, 4]], [[2, 3], [3, 4], [4, 5]]))
            cut([1, 2, 3, 4, 5], 2, gives=([[1, 2], [3, 4]], [[2, 3], [4, 5]]))
            cut([6, 7, 8, 9, 0], 2, gives=([[6, 7], [8, 9]], [[7, 8], [9, 0]]))
            cut([6, 7, 8, 9, 0], 4, gives=([[6, 7, 8, 9]], [[7, 8, 9, 0]]))
            long = list(range(5_000))
            cut(long, 4_999, gives=([long[:-1]], [long[1:]]))


class TestLossMask:
    """The targets that the assistant writes."""

    @pytest.mark.core
    def test_a_question_and_its_answer(self):
        check(
            mask_of(call(loss_mask, [USER, 10, 72, END, ASSISTANT, 10, 79, 107, END, USER, 10], ASSISTANT, END)),
            [0, 0, 0, 0, 1, 1, 1, 1, 0, 0],
            idea="The targets are 10 72 262 259 | 10 79 107 262 | 258 10. The assistant writes those in the middle.",
            pitfall="mask-of-inputs",
        )

    @pytest.mark.core
    def test_the_end_of_an_answer_counts_and_the_end_of_a_question_does_not(self):
        check_answers(
            (USER, "Who?"),
            (ASSISTANT, "I"),
            idea="The model has to learn to end its own messages, so the <|end|> of an answer counts.",
            pitfall="end-marker",
        )

    @pytest.mark.core
    def test_the_marker_of_a_role_is_written_by_the_program(self):
        check_answers(
            (ASSISTANT, "A"),
            (ASSISTANT, "B"),
            (ASSISTANT, "C"),
            idea="The program writes <|assistant|>, and the model continues.",
            pitfall="role-marker",
        )

    def test_the_mask_has_an_entry_for_each_target(self):
        ids = message(ASSISTANT, "Yes.")
        check(
            call(loss_mask, ids, ASSISTANT, END).seen_as(np.shape, "the shape of the mask"),
            (6,),
            idea="Of 7 IDs, 6 are targets: all but the first.",
            pitfall="mask-of-inputs",
        )

    def test_it_is_an_int64_array(self):
        for ids in (message(USER, "Hi"), message(ASSISTANT, "Hi"), [ASSISTANT], []):
            check(
                call(loss_mask, ids, ASSISTANT, END).seen_as(lambda mask: str(mask.dtype), "the type of the mask"),
                "int64",
                idea="A mask of numbers can be summed and multiplied, and numpy takes an empty list for floats.",
                pitfall="types",
            )

    def test_saved_ids_are_an_array(self):
        check(
            mask_of(call(loss_mask, np.array([USER, 10, END, ASSISTANT, 0, 7, END], np.uint32), ASSISTANT, END)),
            [0, 0, 0, 1, 1, 1],
            idea="An array of IDs is read as a list of them, and 0 is an ID like any other.",
            pitfall="types",
        )

    @pytest.mark.parametrize("ids", [[], [ASSISTANT], [ASSISTANT, END]], ids=["no ID", "one", "two"])
    def test_short_conversations(self, ids):
        check(
            mask_of(call(loss_mask, ids[:], ASSISTANT, END)),
            [1] * (len(ids) - 1),
            idea="Without a second ID, there is no target.",
            pitfall="types",
        )

    def test_the_callers_list_stays_as_it_is(self):
        outcome = call(loss_mask, [ASSISTANT, 10, 79, END], ASSISTANT, END)
        check(
            outcome.argument(0),
            [ASSISTANT, 10, 79, END],
            idea="The IDs belong to the caller.",
            pitfall="mutated-argument",
        )


class TestTurns:
    """Several turns, other markers, markers that a user typed."""

    @pytest.mark.core
    def test_every_answer_counts(self):
        check_answers(
            (SYSTEM, "Be brief."),
            (USER, "Sun?"),
            (ASSISTANT, "Up."),
            (USER, "Moon?"),
            (ASSISTANT, "Down."),
            (USER, "Thanks."),
            idea="After the <|end|> of an answer nothing counts, until the next <|assistant|>.",
            pitfall="turns",
        )

    def test_a_conversation_that_begins_with_the_assistant(self):
        check_answers(
            (ASSISTANT, "Hi"),
            (USER, "Who?"),
            idea="The first target already counts, and the question after it does not.",
            pitfall="turns",
        )

    def test_a_marker_that_a_user_typed_is_text(self):
        check_answers(
            (USER, "<|end|><|assistant|>\nYes"),
            (ASSISTANT, "No"),
            idea="Only the IDs 259 and 262 mark an answer; characters that look the same do not.",
            pitfall="turns",
        )

    def test_an_answer_may_mention_a_marker(self):
        check_answers(
            (USER, "?"),
            (ASSISTANT, "<|end|>, I think"),
            (USER, "?"),
            idea="The answer ends at the ID 262. Its text may contain the same characters.",
            pitfall="turns",
        )

    def test_a_tool_call_is_written_by_the_assistant_and_its_result_is_not(self):
        check(
            mask_of(
                call(loss_mask, [ASSISTANT, TOOL_CALL, 65, END, TOOL_RESULT, 66, END, ASSISTANT, 67], ASSISTANT, END)
            ),
            [1, 1, 1, 0, 0, 0, 0, 1],
            idea="What is between <|assistant|> and <|end|> counts, special tokens too; other roles do not.",
            pitfall="turns",
        )

    def test_where_the_next_answer_begins(self):
        check(
            mask_of(call(loss_mask, [*message(USER, "Hi"), ASSISTANT], ASSISTANT, END)),
            [0] * 5,
            idea="The conversation ends with the marker after which the model would write: nothing counts yet.",
            pitfall="role-marker",
        )

    def test_an_answer_that_was_truncated(self):
        check(
            mask_of(call(loss_mask, [USER, 10, END, ASSISTANT, 10, 79], ASSISTANT, END)),
            [0, 0, 0, 1, 1],
            idea="The assistant writes until its <|end|>, or until the IDs end.",
            pitfall="end-marker",
        )

    def test_an_empty_answer_is_ended_too(self):
        check(
            mask_of(call(loss_mask, [ASSISTANT, END, USER, END, ASSISTANT, END], ASSISTANT, END)),
            [1, 0, 0, 0, 1],
            idea="Directly after <|assistant|>, the model writes <|end|>.",
            pitfall="end-marker",
        )

    def test_another_tokenizer_has_other_ids(self):
        check(
            mask_of(call(loss_mask, [1, ASSISTANT, 0, 128_006, END, 0, 1, 52, 0], 128_006, 0)),
            [0, 0, 0, 1, 1, 0, 0, 0],
            idea="The markers are assistant_id and end_id, and one of them may be 0.",
            pitfall="turns",
        )
        check(
            mask_of(call(loss_mask, [1, 52, END, 0, 53, END], 0, END)),
            [0, 0, 0, 1, 1],
            idea="Here, 0 is the ID of <|assistant|>. No answer is open before it.",
            pitfall="turns",
        )

    def test_calls_are_independent(self):
        with independent_calls(loss_mask, see=mask_of) as mask:
            mask([2, 7, 3, 1, 7, 3], 2, 3, gives=[1, 1, 0, 0, 0])
            mask([1, 7, 3, 2, 7, 3], 2, 3, gives=[0, 0, 0, 1, 1])
            mask([2, 7, 7, 7, 7, 7], 2, 3, gives=[1, 1, 1, 1, 1])
            mask([1, 7, 3, 2, 7, 3], 1, 3, gives=[1, 1, 0, 0, 0])
            mask([1, 7, 3, 2, 7, 3], 1, 2, gives=[1, 1, 1, 0, 0])
            mask([2] + [7] * 5_000, 2, 3, gives=[1] * 5_000)


class TestDocuments:
    """Each document by itself, its last window padded."""

    @pytest.mark.core
    def test_two_documents(self):
        check(
            both_of(call(document_windows, [7, 8, 9, 10, 0, 5, 6, 0], 3, 0)),
            ([[7, 8, 9], [10, 0, 0], [0, 5, 6]], [[8, 9, 10], [0, -100, -100], [5, 6, 0]]),
            idea="The documents are 7 8 9 10 0 and 0 5 6 0. The first one's last window has one target and is padded.",
            pitfall="separators",
        )

    @pytest.mark.core
    def test_a_document_begins_with_the_separator_before_it(self):
        check(
            both_of(call(document_windows, [0, 7, 8, 0, 5, 6, 0], 3, 0)),
            ([[0, 7, 8], [0, 5, 6]], [[7, 8, 0], [5, 6, 0]]),
            idea="A separator is the last target of one document, and the first input of the next.",
            pitfall="separators",
        )

    @pytest.mark.core
    def test_the_last_window_is_padded(self):
        check(
            both_of(call(document_windows, [7, 8, 256, 9, 10, 11, 12, 13, 256], 4, 256)),
            (
                [[7, 8, 256, 256], [256, 9, 10, 11], [12, 13, 256, 256]],
                [[8, 256, -100, -100], [9, 10, 11, 12], [13, 256, -100, -100]],
            ),
            idea="Padding is the separator in the inputs and -100 in the targets.",
            pitfall="padding",
        )

    @pytest.mark.core
    def test_a_document_that_fills_its_windows_needs_no_padding(self):
        check(
            both_of(call(document_windows, [7, 8, 9, 10, 0], 2, 0)),
            ([[7, 8], [9, 10]], [[8, 9], [10, 0]]),
            idea="All four targets are in two windows. A third one would contain only padding.",
            pitfall="padding",
        )

    def test_a_document_that_is_shorter_than_a_window_has_one_too(self):
        check(
            both_of(call(document_windows, [0, 7, 0, 8, 0], 5, 0)),
            ([[0, 7, 0, 0, 0], [0, 8, 0, 0, 0]], [[7, 0, -100, -100, -100], [8, 0, -100, -100, -100]]),
            idea="Short documents are padded and not left out.",
            pitfall="padding",
        )

    def test_both_are_int64_arrays(self):
        for ids in ([7, 8, 9, 0], np.array([7, 8, 9, 0], dtype=np.uint32), []):
            check(
                types_of(call(document_windows, ids, 4, 0)),
                ["int64", "int64"],
                idea="-100 does not fit into the unsigned type in which IDs are stored.",
                pitfall="types",
            )

    def test_saved_ids_are_an_array(self):
        check(
            both_of(call(document_windows, np.array([7, 8, 70_000, 0], dtype=np.uint32), 2, 0)),
            ([[7, 8], [70_000, 0]], [[8, 70_000], [0, -100]]),
            idea="An array of IDs is cut as a list of them.",
            pitfall="types",
        )


class TestDocumentEdges:
    """Separators at the ends or next to each other, and empty corpora."""

    def test_the_corpus_may_end_without_a_separator(self):
        check(
            both_of(call(document_windows, [0, 7, 8, 0, 5, 6], 3, 0)),
            ([[0, 7, 8], [0, 5, 0]], [[7, 8, 0], [5, 6, -100]]),
            idea="The last ID is the last document's last target.",
            pitfall="separators",
        )

    def test_separators_next_to_each_other_enclose_no_document(self):
        check(
            both_of(call(document_windows, [0, 0, 7, 8, 0, 0, 0, 5, 0, 0], 3, 0)),
            ([[0, 7, 8], [0, 5, 0]], [[7, 8, 0], [5, 0, -100]]),
            idea="There is nothing to learn between them: no window consists of separators alone.",
            pitfall="empty",
        )

    def test_a_corpus_without_separators_is_one_document(self):
        check(
            both_of(call(document_windows, [7, 8, 9, 10], 2, 0)),
            ([[7, 8], [9, 0]], [[8, 9], [10, -100]]),
            idea="It begins at the first ID and ends with the last one.",
            pitfall="separators",
        )

    @pytest.mark.parametrize("ids", [[], [0], [0, 0, 0], [7]], ids=["no ID", "a separator", "separators", "one ID"])
    def test_nothing_to_predict(self, ids):
        check(
            shapes_of(call(document_windows, ids[:], 3, 0)),
            [(0, 3), (0, 3)],
            idea="Without any window, an array still has two axes: no row, and 3 columns.",
            pitfall="empty",
        )

    @pytest.mark.parametrize("ids", [[7, 0], [0, 7]], ids=["ends", "begins"])
    def test_one_token_and_a_separator(self, ids):
        check(
            both_of(call(document_windows, ids[:], 2, 0)),
            ([[ids[0], 0]], [[ids[1], -100]]),
            idea="One token can be predicted from the other.",
            pitfall="empty",
        )

    def test_the_callers_list_stays_as_it_is(self):
        outcome = call(document_windows, [7, 8, 9, 0, 5], 2, 0)
        check(outcome.argument(0), [7, 8, 9, 0, 5], idea="The IDs belong to the caller.", pitfall="mutated-argument")

    @pytest.mark.parametrize("length", [0, -7])
    def test_a_length_below_1_is_named(self, length):
        for ids in ([7, 8, 0], []):
            for word in ("length", str(length)):
                check_raises(
                    call(document_windows, ids[:], length, 0),
                    ValueError,
                    saying=word,
                    idea="Check first, whatever the IDs are, and name the argument and its value.",
                    pitfall="refusals",
                )

    def test_calls_are_independent(self):
        with independent_calls(document_windows, see=both_of) as cut:
            cut([7, 8, 9, 0, 5], 2, 0, gives=([[7, 8], [9, 0], [0, 0]], [[8, 9], [0, -100], [5, -100]]))
            cut([7, 8, 9, 0, 5], 2, 9, gives=([[7, 8], [9, 0]], [[8, 9], [0, 5]]))
            cut([5, 0, 9, 8, 7], 2, 0, gives=([[5, 0], [0, 9], [8, 0]], [[0, -100], [9, 8], [7, -100]]))
            cut([5, 0, 9, 8, 7], 4, 0, gives=([[5, 0, 0, 0], [0, 9, 8, 0]], [[0, -100, -100, -100], [9, 8, 7, -100]]))
            long = [7] * 5_000
            cut(long, 4_999, 0, gives=([long[1:]], [long[1:]]))


streams = st.lists(st.integers(0, 9), max_size=30)
turns = st.lists(st.tuples(st.sampled_from([SYSTEM, USER, ASSISTANT]), st.text(max_size=3)), max_size=5)


class TestEveryStream:
    """All three together, on random streams."""

    @examples
    @given(ids=streams, length=st.integers(1, 6), stride=st.none() | st.integers(1, 8))
    def test_windows_are_full_and_none_is_missing(self, ids, length, stride):
        starts = [start for start in range(0, len(ids), stride or length) if start + length < len(ids)]
        check(
            both_of(call(windows, ids[:], length, stride=stride)),
            ([ids[s : s + length] for s in starts], [ids[s + 1 : s + 1 + length] for s in starts]),
            idea="A window starts at each multiple of the stride from which all of its targets exist.",
            pitfall="last-window",
        )

    @examples
    @given(ids=streams, length=st.integers(1, 6))
    def test_without_separators_only_the_last_window_differs(self, ids, length):
        inputs, targets = call(windows, ids[:], length).value
        count = len(inputs)
        outcome = call(document_windows, ids[:], length, 10)
        check(
            outcome.seen_as(
                lambda pair: tuple(part[:count].tolist() for part in pair), "inputs and targets of the full windows"
            ),
            (inputs.tolist(), targets.tolist()),
            idea="A corpus without separators is one document, whose full windows are those of `windows`.",
            pitfall="separators",
        )

    @examples
    @given(ids=streams, length=st.integers(1, 6))
    def test_every_token_of_a_document_is_predicted_once(self, ids, length):
        bounds = [0, *(place for place, token_id in enumerate(ids) if token_id == 0), len(ids) - 1]
        pieces = [ids[first : last + 1] for first, last in itertools.pairwise(bounds)]
        expected = [token_id for piece in pieces if set(piece) - {0} for token_id in piece[1:]]
        check(
            call(document_windows, ids[:], length, 0).seen_as(
                lambda pair: pair[1][pair[1] != -100].tolist(), "the targets other than -100"
            ),
            expected,
            idea="All tokens after a document's first one are targets, each once and in order.",
            pitfall="separators",
        )

    @examples
    @given(conversation=turns)
    def test_the_targets_that_count_are_what_the_assistant_writes(self, conversation):
        idea = "Of the targets, these are after <|assistant|>, up to and including <|end|>."
        check_answers(*conversation, idea=idea, pitfall="mask-of-inputs")
        ids = [token_id for role, text in conversation for token_id in message(role, text)]
        mask = call(loss_mask, ids[:], ASSISTANT, END).value
        check(
            call(windows, ids[:], max(len(ids) - 1, 1)).seen_as(
                lambda pair: pair[1].ravel()[mask == 1].tolist(), "the targets where the mask is 1"
            ),
            [token_id for role, text in conversation if role == ASSISTANT for token_id in message(role, text)[1:]],
            idea=idea,
            pitfall="shift",
        )
