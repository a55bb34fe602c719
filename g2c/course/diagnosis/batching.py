"""Module 04c: what the classic mistakes in pad_batch would give, and how to say so."""

from collections.abc import Iterator
from typing import Any

from g2c.course.teaching import Mistake, Outcome, recognises

Rows = list[list[int]]

# --- arguments and kinds of results -----------------------------------------------------------------------------------

NOT_REFUSED = Mistake(
    "an argument that makes no sense is not refused",
    "Look at side, max_length and multiple_of before anything else.",
    "refusals",
)
OTHER_ERROR = Mistake(
    "an argument that makes no sense ends in another error", "Look at it first, and raise a ValueError.", "refusals"
)
NOT_NAMED = Mistake(
    "the error does not say what is wrong", "Name the argument and its value in the message.", "refusals"
)
REFUSED_TOO_MUCH = Mistake(
    "arguments in order are refused", "None and 0 are a max_length, 1 is a multiple_of.", "refusals"
)
NOT_READ = Mistake(
    "what is in the batch is not looked at", "read_sequences refuses what is no token ID, and gives you lists.", "types"
)
ARRAYS_ADDED = Mistake(
    "a list is added to an array", "numpy adds number to number there; read_sequences makes lists of arrays.", "types"
)
TRUTH_OF_ARRAY = Mistake(
    "an array is asked for its truth", "The batch may be an array: use the rows that read_sequences gives.", "types"
)
LISTS_BACK = Mistake("lists where arrays belong", "np.array makes arrays of them, with dtype=np.int64.", "types")
ARRAYS_BACK = Mistake("arrays where lists belong", "With as_lists=True the two parts are lists of lists.", "types")
NOT_TWO = Mistake("the two parts are not a tuple", "Return ids and mask, in this order.", "types")
FLOATS = Mistake("numbers with decimals", "np.zeros and empty lists give float64 unless told: dtype=np.int64.", "types")
BOOLS = Mistake("True and False where 1 and 0 belong", "The mask holds numbers: dtype=np.int64.", "types")
OTHER_TYPE = Mistake("whole numbers of another size", "Say dtype=np.int64 for both arrays.", "types")
RAGGED = Mistake(
    "an array is made of rows of different lengths", "Fill up the rows first, then make the array.", "types"
)
ROWS_OF_THE_CALLER = Mistake(
    "rows of the caller are in the batch",
    "Without padding nothing was copied: make new lists always.",
    "mutated-argument",
)

# --- ids and mask -----------------------------------------------------------------------------------------------------

MASK_FROM_IDS = Mistake(
    "the mask is made by comparing with pad_id",
    "A real token may have that ID too: make the mask from the lengths.",
    "mask",
)
MASK_FROM_TRUTH = Mistake(
    "the mask is made from the truth of the IDs",
    "0 counts as false, but the ID 0 is real: make it from the lengths.",
    "mask",
)
MASK_INVERTED = Mistake("the mask is the other way round", "1 is for what is real, 0 for padding.", "mask")
MASK_ALL_ONES = Mistake("the mask is 1 everywhere", "Where padding stands it has to be 0.", "mask")
SHORT_MASK = Mistake("the mask is not filled up", "It has the shape of the IDs, with 0 where padding stands.", "mask")
SIDE_IGNORED = Mistake("the padding is on the right whatever side says", "With side='left' it comes first.", "side")
MASK_STAYS_RIGHT = Mistake("the mask is on the right whatever side says", "It goes with the IDs.", "side")
IDS_REVERSED = Mistake("the IDs stand in reverse order", "Only the padding changes its place.", "side")
PADDED_WITH_ZERO = Mistake("the padding is 0 whatever pad_id says", "Fill up with pad_id.", "pad-id")
ONE_ROW = Mistake(
    "all rows are one and the same list", "[[0] * 3] * 2 is one row twice; make a new one for each sequence.", "one-row"
)
ONE_SEQUENCE = Mistake("all rows hold the same", "Each row belongs to its own sequence.", "one-row")
OTHER_SEQUENCES = Mistake(
    "the rows are not the sequences in their order", "Row 0 is sequence 0; nothing is sorted or left out.", "one-row"
)
PARTS_SWAPPED = Mistake("ids and mask are swapped", "Return ids first, then the mask.", "types")
MINUS_ZERO = Mistake(
    "an empty sequence fills its whole row",
    "row[-0:] is the whole row: count from the left, length - len(row).",
    "empty",
)
EMPTY_MAX = Mistake("the longest of nothing is looked for", "max(..., default=0) has an answer for no rows.", "empty")
EMPTY_SHAPE = Mistake(
    "no rows have another shape than (0, 0)", "np.array([]) has one axis: reshape to (rows, length).", "empty"
)
EMPTY_BLOCK = Mistake("an empty batch is as long as multiple_of", "0 is a multiple of everything.", "empty")
EMPTY_LEFT_OUT = Mistake("empty sequences are left out", "Each has a row of its own, all of it padding.", "empty")

# --- length -----------------------------------------------------------------------------------------------------------

LENGTH_OF_FIRST = Mistake("the first sequence decides the length", "The longest does.", "length")
ONE_TOO_LONG = Mistake("one padding too many", "The longest row needs none.", "length")
END_KEPT = Mistake("the end is kept in place of the beginning", "row[:max_length] keeps the first IDs.", "truncation")
NOT_CUT = Mistake(
    "longer sequences are not cut", "With max_length, keep its first max_length IDs of each.", "truncation"
)
ZERO_IS_NONE = Mistake("a max_length of 0 cuts nothing", "0 counts as false: ask `is not None`.", "truncation")
FILLED_TO_MAX = Mistake("the batch is filled up to max_length", "It is a limit; the longest row decides.", "truncation")
LIMIT_ROUNDED = Mistake(
    "max_length is rounded up",
    "It cuts sequences as it is; the length of the batch is rounded after that.",
    "truncation",
)
LENGTH_BEFORE_CUT = Mistake(
    "the length is measured before cutting", "Cut first, then look for the longest.", "truncation"
)
NOT_ROUNDED = Mistake("the length is not rounded up", "With multiple_of, it is the next multiple.", "multiple-of")
DOUBLED = Mistake(
    "the length is doubled until it is long enough", "Every multiple will do: 3, 6, 9 and not 3, 6, 12.", "multiple-of"
)
ONE_MULTIPLE_MORE = Mistake(
    "a length that is a multiple grows by one more", "Rounding up leaves a multiple as it is.", "multiple-of"
)
ROUNDED_DOWN = Mistake("the length is rounded down", "Real IDs would be lost: round up.", "multiple-of")
CUT_AFTER_ROUNDING = Mistake(
    "max_length limits the rounded length", "It cuts sequences; padding may go beyond it.", "multiple-of"
)


@recognises("pad_batch")
def pad_batch_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    sequences = [list(map(int, sequence)) for sequence in outcome.args[0]] if _is_batch(outcome.args[0]) else None
    pad_id, asked = _asked(*outcome.args, **outcome.kwargs)
    if outcome.aspect.startswith("argument"):
        return
    if _makes_no_sense(asked):
        yield NOT_REFUSED if outcome.error is None else NOT_NAMED if outcome.raised(ValueError) else OTHER_ERROR
        return
    if sequences is None:
        yield NOT_READ
        return
    if outcome.error is not None:
        yield from _error_mistakes(outcome, sequences)
        return
    yield from _kind_mistakes(outcome, asked)
    right = _pad(sequences, pad_id, **asked)
    for mistake, wrong in _wrong_batches(sequences, pad_id, asked):
        if _seen(outcome, *wrong) != _seen(outcome, *right) and outcome.result == _seen(outcome, *wrong):
            yield mistake


def _asked(sequences: Any, pad_id: int, **options: Any) -> tuple[int, dict[str, Any]]:
    """pad_id, passed by name or not, and the options with their defaults."""
    return pad_id, {"side": "right", "max_length": None, "multiple_of": None, "as_lists": False} | options


def _is_batch(sequences: Any) -> bool:
    return all(hasattr(sequence, "__iter__") and all(i == int(i) for i in sequence) for sequence in sequences)


def _makes_no_sense(asked: dict[str, Any]) -> bool:
    too_short = asked["max_length"] is not None and asked["max_length"] < 0
    too_small = asked["multiple_of"] is not None and asked["multiple_of"] < 1
    return asked["side"] not in ("right", "left") or too_short or too_small


def _error_mistakes(outcome: Outcome, sequences: Rows) -> Iterator[Mistake]:
    message = str(outcome.error)
    if "truth value" in message:
        yield TRUTH_OF_ARRAY
    elif "inhomogeneous" in message:
        yield RAGGED
    elif any(not isinstance(sequence, list) for sequence in outcome.args[0]):
        yield ARRAYS_ADDED
    elif not sequences:
        yield EMPTY_MAX
    elif [] in sequences and outcome.kwargs.get("side") == "left":
        yield MINUS_ZERO
    elif outcome.raised(ValueError):
        yield REFUSED_TOO_MUCH


def _kind_mistakes(outcome: Outcome, asked: dict[str, Any]) -> Iterator[Mistake]:
    result = outcome.result
    if outcome.aspect.startswith("the type"):
        yield {"float64": FLOATS, "bool": BOOLS}.get(result, OTHER_TYPE)
    if outcome.aspect or result is None:
        return
    if not isinstance(result, tuple) or len(result) != 2:
        yield NOT_TWO
    elif not asked["as_lists"] and isinstance(result[0], list):
        yield LISTS_BACK
    elif asked["as_lists"] and not isinstance(result[0], list):
        yield ARRAYS_BACK
    elif asked["as_lists"] and any(row is mine for row in result[0] for mine in outcome.live_args[0]):
        yield ROWS_OF_THE_CALLER


def _pad(
    sequences: Rows,
    pad_id: int,
    *,
    side: str = "right",
    max_length: int | None = None,
    multiple_of: int | None = None,
    length: int | None = None,
    **_: Any,
) -> tuple[Rows, Rows]:
    """The right batch, as lists; `length` puts another one in place of the right one."""
    rows = [sequence[:max_length] for sequence in sequences]
    if length is None:
        length = _round_up(max(map(len, rows), default=0), multiple_of)
    ids, mask = [], []
    for row in rows:
        padding = max(length - len(row), 0)
        ids.append(_beside(row[:length], [pad_id] * padding, side))
        mask.append(_beside([1] * len(row[:length]), [0] * padding, side))
    return ids, mask


def _beside(row: list[int], padding: list[int], side: str) -> list[int]:
    return padding + row if side == "left" else row + padding


def _round_up(length: int, multiple_of: int | None) -> int:
    return length if multiple_of is None else -(-length // multiple_of) * multiple_of


def _doubled(length: int, needed: int) -> int:
    while length < needed:
        length *= 2
    return length


def _wrong_batches(sequences: Rows, pad_id: int, asked: dict[str, Any]) -> Iterator[tuple[Mistake, tuple[Rows, Rows]]]:
    """What each mistake would give: (ids, mask)."""
    ids, mask = _pad(sequences, pad_id, **asked)
    limit, multiple = asked["max_length"], asked["multiple_of"]
    length = len(ids[0]) if ids else 0
    uncut = max(map(len, sequences), default=0)
    cut = uncut if limit is None else min(uncut, limit)

    yield MASK_FROM_IDS, (ids, [[int(token_id != pad_id) for token_id in row] for row in ids])
    yield MASK_FROM_TRUTH, (ids, [[int(token_id != 0) for token_id in row] for row in ids])
    yield MASK_INVERTED, (ids, [[1 - real for real in row] for row in mask])
    if asked["side"] == "left" and [] in sequences:
        filled = [[1] * length if not sequence else row for sequence, row in zip(sequences, mask)]
        yield MINUS_ZERO, (ids, filled)
    yield MASK_ALL_ONES, (ids, [[1] * len(row) for row in mask])
    yield SHORT_MASK, (ids, [[real for real in row if real] for row in mask])
    right_ids, right_mask = _pad(sequences, pad_id, **asked | {"side": "right"})
    yield MASK_STAYS_RIGHT, (ids, right_mask)
    yield SIDE_IGNORED, (right_ids, right_mask)
    yield IDS_REVERSED, ([row[::-1] for row in right_ids], [row[::-1] for row in right_mask])
    yield PADDED_WITH_ZERO, (_pad(sequences, 0, **asked)[0], mask)
    if limit is not None:
        kept_end = [sequence[-limit:] for sequence in sequences]
        rounded = asked | {"max_length": _round_up(limit, multiple)}
        yield LIMIT_ROUNDED, _pad(sequences, pad_id, **rounded)
        yield ZERO_IS_NONE if limit == 0 else NOT_CUT, _pad(sequences, pad_id, **asked | {"max_length": None})
        yield END_KEPT, _pad(kept_end, pad_id, **asked | {"max_length": None})
        if multiple is not None:
            yield CUT_AFTER_ROUNDING, _pad(sequences, pad_id, **asked, length=min(length, limit))
        yield FILLED_TO_MAX, _pad(sequences, pad_id, **asked, length=limit)
        yield FILLED_TO_MAX, _pad(sequences, pad_id, **asked, length=_round_up(limit, multiple))
        yield LENGTH_BEFORE_CUT, _pad(sequences, pad_id, **asked, length=_round_up(uncut, multiple))
    if multiple is not None:
        yield NOT_ROUNDED, _pad(sequences, pad_id, **asked, length=cut)
        yield ONE_MULTIPLE_MORE, _pad(sequences, pad_id, **asked, length=(cut // multiple + 1) * multiple)
        yield DOUBLED, _pad(sequences, pad_id, **asked, length=_doubled(multiple, cut))
        yield ROUNDED_DOWN, _pad(sequences, pad_id, **asked, length=cut // multiple * multiple)
    overlaid, overlaid_mask = [pad_id] * length, [0] * length
    for sequence in sequences:
        kept = sequence[:length]
        overlaid[: len(kept)], overlaid_mask[: len(kept)] = kept, [1] * len(kept)
    yield ONE_ROW, ([overlaid] * len(ids), [overlaid_mask] * len(ids))
    yield ONE_ROW, ([overlaid] * len(ids), mask)
    yield OTHER_SEQUENCES, _pad(list(map(list, dict.fromkeys(map(tuple, sequences)))), pad_id, **asked)
    for longest_first in (True, False):
        by_length = sorted(sequences, key=len, reverse=longest_first)
        yield OTHER_SEQUENCES, _pad(by_length, pad_id, **asked)
    yield PARTS_SWAPPED, (mask, ids)
    yield ONE_SEQUENCE, (ids[:1] * len(ids), mask[:1] * len(ids))
    yield EMPTY_LEFT_OUT, _pad([sequence for sequence in sequences if sequence], pad_id, **asked)
    if not sequences:
        yield EMPTY_BLOCK, ([[pad_id] * (multiple or 0)], [])

    if sequences:
        yield LENGTH_OF_FIRST, _pad(sequences, pad_id, **asked, length=len(sequences[0]))
    yield ONE_TOO_LONG, _pad(sequences, pad_id, **asked, length=length + 1)


def _seen(outcome: Outcome, ids: Rows, mask: Rows) -> Any:
    """A batch as the test has looked at it."""
    views = {
        "ids, as lists": ids,
        "attention_mask, as lists": mask,
        "the two shapes": [(len(rows), len(rows[0]) if rows else 0) for rows in (ids, mask)],
        "the IDs where the mask has a 1": [[i for i, real in zip(*both) if real] for both in zip(ids, mask)],
    }
    return views.get(outcome.aspect, (ids, mask))


@recognises("pad_batch")
def shape_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    """Shapes of a batch without rows, which no lists can show."""
    if outcome.aspect == "the two shapes" and len(outcome.args[0]) == 0:
        lengths = {shape[-1] for shape in outcome.result}
        yield EMPTY_BLOCK if lengths == {outcome.kwargs.get("multiple_of")} else EMPTY_SHAPE
