"""Wrong solutions of pad_batch."""

from coach.diagnosis.bank import mistake
from g2c.solutions.batching import pad_batch as answer_key

LENGTH = "length = max(map(len, rows), default=0)"
ROUNDED = "length = -(-length // multiple_of) * multiple_of"
IDS = "[pad_id] * before + row + [pad_id] * after"
MASK = "[0] * before + [1] * len(row) + [0] * after"
SIDES = '(padding, 0) if side == "left" else (0, padding)'


@mistake(
    "a list is added to an array",
    why="numpy adds element by element there: read_sequences turns arrays into lists.",
    pitfall="types",
    change={
        "read_sequences(sequences, pad_id)": "sequences",
        IDS: 'row + [pad_id] * after if side == "right" else [pad_id] * before + row',
    },
)
def adds_lists_to_arrays():
    """A row and its padding are joined with a plus."""


@mistake("all rows contain the same IDs", why="Each row belongs to its own sequence.", pitfall="one-row")
def all_rows_alike(sequences, pad_id, **options):
    """All rows have the same length."""
    return answer_key([sequences[0]] * len(sequences) if len(sequences) else [], pad_id, **options)


@mistake(
    "an invalid argument is not rejected",
    why="Check side, max_length and multiple_of before anything else, and raise a ValueError.",
    pitfall="refusals",
    group="TestRefusals",
    change=[
        {'if side not in ("right", "left"):': "if False:"},
        {"if max_length is not None and max_length < 0:": "if False:"},
    ],
)
def any_other_side_is_left():
    """Whoever passes something else must know what it means."""


@mistake(
    "arrays where lists belong",
    why="With as_lists=True the two parts are lists of lists.",
    pitfall="types",
    change={"if as_lists:": "if False:"},
)
def arrays_back():
    """Batches are arrays."""


@mistake(
    "max_length limits the rounded length",
    why="It truncates sequences; padding may exceed it.",
    pitfall="multiple-of",
    group="TestLength",
    change={
        "ids, mask = [], []": "length = length if max_length is None else min(length, max_length)\nids, mask = [], []"
    },
)
def cuts_after_rounding():
    """Nothing may be longer than max_length, not even with padding."""


@mistake(
    "the list that was passed is changed",
    why="del changes the list that was passed: cut a copy.",
    pitfall="mutated-argument",
)
def cuts_the_callers_rows(sequences, pad_id, *, max_length=None, **options):
    """The rows are too long, so I delete the rest."""
    if max_length is not None and max_length >= 0:
        for sequence in sequences:
            if isinstance(sequence, list):
                del sequence[max_length:]
    return answer_key(sequences, pad_id, max_length=max_length, **options)


@mistake(
    "an invalid argument raises another error",
    why="Check the arguments first, and raise a ValueError.",
    pitfall="refusals",
    group="TestRefusals",
    change={"if multiple_of is not None and multiple_of < 1:": "if False:"},
)
def divides_by_zero():
    """Dividing by zero is an error anyway, so Python refuses it for me."""


@mistake(
    "an empty batch does not have the shape (0, 0)",
    why="np.array([]) has one axis: reshape to (rows, length).",
    pitfall="empty",
    group="TestEmpty",
    change={
        "np.array(ids, dtype=np.int64).reshape(shape)": "np.array(ids, dtype=np.int64)",
        "np.array(mask, dtype=np.int64).reshape(shape)": "np.array(mask, dtype=np.int64)",
    },
)
def empty_batch_has_one_axis():
    """np.array makes arrays of any lists."""


@mistake(
    "the batch is filled up to max_length",
    why="max_length is a limit; the longest row decides the length.",
    pitfall="truncation",
    group="TestLength",
    change={LENGTH: "length = max(map(len, rows), default=0) if max_length is None else max_length"},
)
def fills_up_to_max_length():
    """max_length is the length of the batch."""


@mistake(
    "floats where integers belong",
    why="np.zeros and empty lists give float64 by default: pass dtype=np.int64.",
    pitfall="types",
    change={
        "np.array(ids, dtype=np.int64)": "np.array(ids, dtype=float)",
        "np.array(mask, dtype=np.int64)": "np.array(mask, dtype=float)",
    },
)
def floats():
    """np.full and np.zeros give the rectangle, and numbers are numbers."""


@mistake("the two parts are not a tuple", why="Return ids and mask, in this order: return ids, mask.", pitfall="types")
def dictionary_of_two(sequences, pad_id, **options):
    """Libraries return a dictionary with names."""
    ids, mask = answer_key(sequences, pad_id, **options)
    return {"input_ids": ids, "attention_mask": mask}


@mistake("the two parts are not a tuple", why="Return ids and mask, in this order: return ids, mask.", pitfall="types")
def ids_only(sequences, pad_id, **options):
    """The task asks for the IDs."""
    return answer_key(sequences, pad_id, **options)[0]


@mistake(
    "the end is kept instead of the beginning",
    why="row[:max_length] keeps the first IDs.",
    pitfall="truncation",
    group="TestSide",
    change={
        "sequence[:max_length] for": "sequence[:max_length] if side == 'right' else sequence[-(max_length or 0) :] for"
    },
)
def keeps_the_end():
    """With padding on the left, I cut on the left too."""


@mistake(
    "empty sequences are left out",
    why="Each has its own row, all of it padding.",
    pitfall="empty",
    group="TestSide",
    change={"in read_sequences(sequences, pad_id)]": "in read_sequences(sequences, pad_id) if sequence]"},
)
def leaves_out_empty_sequences():
    """An empty sequence has nothing to put into the batch."""


@mistake(
    "the IDs are in reverse order",
    why="Only the padding changes its place.",
    pitfall="side",
    group="TestSide",
    change={
        SIDES: "0, padding",
        "if as_lists:": 'if side == "left":\n    ids, mask = [row[::-1] for row in ids], [row[::-1] for row in mask]\nif as_lists:',
    },
)
def left_by_reversing():
    """Padding on the left is the padded row from right to left."""


@mistake(
    "the length is measured before truncating",
    why="Truncate first, then find the longest.",
    pitfall="truncation",
    group="TestSide",
    change={LENGTH: "length = max(map(len, sequences), default=0)"},
)
def length_before_cutting():
    """I find the length first, then do everything else."""


@mistake(
    "the first sequence decides the length",
    why="The longest sequence decides the length of the batch.",
    pitfall="length",
    change={LENGTH: "length = len(rows[0]) if rows else 0\nrows = [row[:length] for row in rows]"},
)
def length_of_the_first():
    """All rows are made as long as the first one."""


@mistake(
    "max_length is rounded up",
    why="It truncates sequences unchanged; only the length of the batch is rounded up.",
    pitfall="truncation",
    group="TestLength",
    change={
        "rows = [sequence[:max_length] for": "if max_length is not None and multiple_of:\n    max_length = -(-max_length // multiple_of) * multiple_of\nrows = [sequence[:max_length] for"
    },
)
def limit_rounded_up():
    """The limit has to be a multiple too."""


@mistake(
    "lists where arrays belong",
    why="np.array makes arrays of them, with dtype=np.int64.",
    pitfall="types",
    change={"if as_lists:": "if True:"},
)
def lists_back():
    """Lists of lists are rectangles too."""


@mistake(
    "the mask is 1 everywhere",
    why="Where there is padding it has to be 0.",
    pitfall="mask",
    change={MASK: "[1] * length"},
)
def mask_all_ones():
    """The mask is for the model that comes later, so I fill it with ones for now."""


@mistake(
    "the mask is not padded",
    why="It has the shape of the IDs, with 1 for each real ID and 0 for padding.",
    pitfall="mask",
)
def mask_counts_lengths(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    """The mask says how many IDs are real."""
    ids, mask = answer_key(
        sequences, pad_id, side=side, max_length=max_length, multiple_of=multiple_of, as_lists=as_lists
    )
    return ids, [sum(row) for row in mask] if as_lists else mask.sum(axis=1)


@mistake(
    "the mask is made by comparing with pad_id",
    why="A real token may have that ID too: make the mask from the lengths.",
    pitfall="mask",
    group="TestMask",
    change={"if as_lists:": "mask = [[int(token_id != pad_id) for token_id in row] for row in ids]\nif as_lists:"},
)
def mask_from_pad_id():
    """Padding has the ID pad_id, so the mask is 1 wherever the ID is another one."""


@mistake(
    "the mask is made from the truth of the IDs",
    why="0 counts as false, but the ID 0 is real: make it from the lengths.",
    pitfall="mask",
    group="TestMask",
    change={"if as_lists:": "mask = [[int(bool(token_id)) for token_id in row] for row in ids]\nif as_lists:"},
)
def mask_from_truth():
    """Padding is 0 and 0 is false, so astype(bool) tells what is real."""


@mistake(
    "the mask is inverted",
    why="1 marks real IDs, 0 marks padding.",
    pitfall="mask",
    change={MASK: "[1] * before + [0] * len(row) + [1] * after"},
)
def mask_inverted():
    """A mask hides something, so it is 1 where there is something to hide."""


@mistake(
    "True and False where 1 and 0 belong",
    why="The mask contains numbers: dtype=np.int64.",
    pitfall="types",
    change={"np.array(mask, dtype=np.int64)": "np.array(mask, dtype=bool)"},
)
def mask_of_bools():
    """A mask is true or false."""


@mistake(
    "the mask is on the right whatever side says",
    why="The ones of the mask are where the real IDs are, on either side.",
    pitfall="side",
    group="TestSide",
    change={"mask.append([0] * before + [1] * len(row) + [0] * after)": "mask.append([1] * len(row) + [0] * padding)"},
)
def mask_stays_right():
    """side decides where the padding goes, and the mask is a separate matter."""


@mistake(
    "the maximum of an empty batch is taken",
    why="max of an empty sequence raises an error: use max(..., default=0).",
    pitfall="empty",
    group="TestEmpty",
    change={LENGTH: "length = max(len(row) for row in rows)"},
)
def max_of_nothing():
    """The longest sequence decides the length."""


@mistake(
    "an empty sequence fills its whole row",
    why="row[-0:] is the whole row: count from the left, with length - len(row).",
    pitfall="empty",
    group="TestSide",
    change={
        "ids, mask = [], []": "ids, mask = np.full((len(rows), length), pad_id), np.zeros((len(rows), length), dtype=np.int64)",
        "for row in rows:": "for number, row in enumerate(rows):",
        f"before, after = {SIDES}": 'place = slice(0, len(row)) if side == "right" else slice(-len(row), None)',
        f"ids.append({IDS})": "ids[number, place] = row",
        f"mask.append({MASK})": "mask[number, place] = 1",
        "if as_lists:": "if as_lists:\n    ids, mask = ids.tolist(), mask.tolist()",
    },
)
def minus_zero():
    """The last len(row) places of the row are row[-len(row):]."""


@mistake(
    "an empty sequence fills its whole row",
    why="mask[-0:] is the whole row: count from the left, with length - len(row).",
    pitfall="empty",
    group="TestSide",
    change={MASK: f'[1] * length if side == "left" and not row else {MASK}'},
)
def minus_zero_in_the_mask():
    """The last len(row) places of the mask are mask[-len(row):]."""


@mistake(
    "the length is doubled until it is long enough",
    why="Every multiple will do: 3, 6, 9 and not 3, 6, 12.",
    pitfall="multiple-of",
    group="TestLength",
    change={ROUNDED: f"while multiple_of < length:\n    multiple_of *= 2\n{ROUNDED}"},
)
def multiple_doubled():
    """I double the length until it is long enough."""


@mistake(
    "the length is not rounded up",
    why="With multiple_of, it is the next multiple.",
    pitfall="multiple-of",
    group="TestLength",
    change={ROUNDED: "pass"},
)
def never_rounds():
    """multiple_of is for fast hardware, which I do not have."""


@mistake(
    "longer sequences are not truncated",
    why="With max_length, keep the first max_length IDs of each sequence.",
    pitfall="truncation",
    group="TestSide",
    change={"sequence[:max_length] for": "sequence for"},
)
def not_cut():
    """The rectangle has max_length columns at most; the rows fit in by themselves."""


@mistake(
    "a length that is already a multiple is increased",
    why="Rounding up leaves a multiple as it is.",
    pitfall="multiple-of",
    group="TestLength",
    change={ROUNDED: "length = (length // multiple_of + (multiple_of > 1)) * multiple_of"},
)
def one_multiple_more():
    """I divide, add one, and multiply again."""


@mistake(
    "one padding ID too many",
    why="The longest row needs none.",
    pitfall="length",
    change={LENGTH: "length = max(map(len, rows), default=-1) + 1"},
)
def one_padding_too_many():
    """Every row ends with padding."""


@mistake(
    "all rows are one and the same list",
    why="[[0] * 3] * 2 contains the same row twice: create a new list for each sequence.",
    pitfall="one-row",
    change={
        "ids, mask = [], []": "ids, mask = [[pad_id] * length] * len(rows), [[0] * length] * len(rows)",
        "for row in rows:": "for number, row in enumerate(rows):",
        f"ids.append({IDS})": "ids[number][before : length - after] = row",
        f"mask.append({MASK})": "mask[number][before : length - after] = [1] * len(row)",
    },
)
def one_row_for_all():
    """A list times a number makes the rectangle in one go."""


@mistake(
    "all rows of the mask are one and the same list",
    why="[[0] * 3] * 2 contains the same row twice: create a new list for each sequence.",
    pitfall="mask",
    change={"if as_lists:": "mask = [[int(any(column)) for column in zip(*mask)]] * len(mask)\nif as_lists:"},
)
def one_row_for_the_mask():
    """The mask begins with zeros everywhere; then I set the ones."""


@mistake(
    "the padding is the same whatever pad_id says",
    why="Pad with pad_id.",
    pitfall="pad-id",
    change=[{IDS: "[0] * before + row + [0] * after"}, {IDS: "[-1] * before + row + [-1] * after"}],
)
def pads_with_zero():
    """The mask hides the padding, so any number will do."""


@mistake("ids and mask are swapped", why="Return ids first, then the mask.", pitfall="types")
def parts_swapped(sequences, pad_id, **options):
    """The mask says which IDs count, so it comes first."""
    return answer_key(sequences, pad_id, **options)[::-1]


@mistake(
    "valid arguments are rejected",
    why="0 is a max_length, and 1 a multiple_of: reject only what is below.",
    pitfall="refusals",
    group="TestLength",
    change={"max_length < 0": "max_length < 1", "multiple_of < 1": "multiple_of < 2"},
)
def refuses_zero():
    """A maximum length of 0 or a multiple of 0 makes no sense."""


@mistake(
    "a list that was passed is part of the result",
    why="Rows without padding were not copied: always create new lists.",
    pitfall="mutated-argument",
)
def returns_the_callers_rows(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    """When all rows have the same length nothing needs to be done."""
    if as_lists and len({len(row) for row in sequences}) == 1 and max_length is None and multiple_of is None:
        return list(sequences), [[1] * len(row) for row in sequences]
    return answer_key(sequences, pad_id, side=side, max_length=max_length, multiple_of=multiple_of, as_lists=as_lists)


@mistake(
    "the length is rounded down",
    why="Then real IDs do not fit: -(-length // multiple_of) * multiple_of rounds up.",
    pitfall="multiple-of",
    group="TestLength",
    change=[
        {ROUNDED: "length -= length % multiple_of\nrows = [row[:length] for row in rows]"},
        {"-(-length // multiple_of)": "length // multiple_of"},
    ],
)
def rounds_down():
    """length - length % multiple_of is a multiple."""


@mistake(
    "the padding is on the right whatever side says",
    why="With side='left' the padding comes before the IDs.",
    pitfall="side",
    group="TestSide",
    change={SIDES: "0, padding"},
)
def side_ignored():
    """I write the right side first and look at side later."""


@mistake(
    "integers of another size",
    why="Pass dtype=np.int64 for both arrays.",
    pitfall="types",
    change={
        "np.array(ids, dtype=np.int64)": "np.array(ids, dtype=np.int32)",
        "np.array(mask, dtype=np.int64)": "np.array(mask, dtype=np.int32)",
    },
)
def small_numbers():
    """No token ID comes near two billion, so 32 bits are enough."""


@mistake(
    "the rows are not the sequences in their order",
    why="Row 0 is sequence 0; nothing is sorted or left out.",
    pitfall="one-row",
)
def sorted_by_length(sequences, pad_id, **options):
    """Long sequences go first, which makes for good batches."""
    return answer_key(sorted(sequences, key=len, reverse=True), pad_id, **options)


@mistake(
    "an array is used as a condition",
    why="The batch may be an array, which is neither true nor false: use the rows from read_sequences.",
    pitfall="types",
)
def truth_of_an_array(sequences, pad_id, **options):
    """Without sequences there is nothing to do, so I check that first."""
    if not sequences:
        return answer_key([], pad_id, **options)
    return answer_key(sequences, pad_id, **options)


@mistake(
    "a max_length of 0 cuts nothing",
    why="0 counts as false: ask `max_length is not None`.",
    pitfall="truncation",
    group="TestLength",
    change={"sequence[:max_length] for": "sequence[: max_length or None] for"},
)
def zero_is_none():
    """If there is a max_length, I cut."""


@mistake(
    "the length is rounded to the nearest multiple",
    why="Then up to half of a multiple is cut off: -(-length // multiple_of) * multiple_of rounds up.",
    pitfall="multiple-of",
    group="TestLength",
    change={"-(-length // multiple_of)": "round(length / multiple_of)"},
)
def rounds_to_the_nearest():
    """round gives the multiple that is nearest."""


@mistake(
    "the mask is padded with pad_id",
    why="pad_id belongs in the IDs; where there is padding, the mask is 0.",
    pitfall="mask",
    group="TestMask",
    change={MASK: "[pad_id] * before + [1] * len(row) + [pad_id] * after"},
)
def mask_filled_with_pad_id():
    """I fill all padding with pad_id."""


@mistake(
    "the padded rows are truncated, not the sequences",
    why="With side='left', that cuts real IDs off: keep the first max_length IDs of each sequence, then pad.",
    pitfall="truncation",
    group="TestSide",
    change={
        "sequence[:max_length] for": "sequence for",
        "if as_lists:": "if max_length is not None:\n    ids, mask = [row[:max_length] for row in ids], [row[:max_length] for row in mask]\n    length = min(length, max_length)\nif as_lists:",
    },
)
def cuts_padded_rows():
    """When the rectangle is finished, I cut it to max_length."""


@mistake(
    "an empty batch is rounded up",
    why="0 is a multiple of every number: rows without any IDs have the length 0.",
    pitfall="empty",
    group="TestEmpty",
    change={ROUNDED: f"{ROUNDED} or multiple_of"},
)
def one_multiple_at_least():
    """A batch has at least one multiple."""
