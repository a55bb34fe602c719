"""Wrong solutions of loss_mask."""

import numpy as np

from coach.diagnosis.bank import mistake
from g2c.solutions.batching import loss_mask as answer_key

FOR = "for token_id in ids[:-1]:"
BEGINS = "if token_id == assistant_id:"
ENDS = "elif token_id == end_id:"
APPEND = "mask.append(int(writes))"
RETURN = "return np.array(mask, dtype=np.int64)"
OF_IDS = {FOR: "for token_id in ids:", APPEND: "pass", BEGINS: f"{APPEND}\n{BEGINS}"}


@mistake(
    "the mask belongs to the inputs",
    why="Entry 0 belongs to the target ids[1]. The first target that counts is the one at the input <|assistant|>.",
    pitfall="mask-of-inputs",
    change=OF_IDS | {RETURN: "return np.array(mask[:-1], dtype=np.int64)"},
)
def mask_of_the_inputs():
    """I mark what the assistant writes, and cut off the last one, which has no target."""


@mistake(
    "the mask belongs to the inputs",
    why="Entry 0 belongs to the target ids[1]. The first target that counts is the one at the input <|assistant|>.",
    pitfall="mask-of-inputs",
    change={APPEND: "pass", BEGINS: f"{APPEND}\n{BEGINS}"},
)
def appends_before_looking():
    """At each ID, I note whether the assistant is writing, and then whether that changes."""


@mistake(
    "an answer begins and ends one target early",
    why="The target <|assistant|> is not part of the answer yet, and its <|end|> still is.",
    pitfall="mask-of-inputs",
    change={FOR: "for token_id in ids[1:]:"},
)
def looks_at_the_targets():
    """The mask belongs to the targets, so I look at those."""


@mistake(
    "the mask has an entry for each ID",
    why="The first ID is no target: the mask is one shorter than ids.",
    pitfall="mask-of-inputs",
    change={FOR: "for token_id in ids:"},
)
def goes_to_the_last_id():
    """Each ID gets an entry."""


@mistake(
    "the mask has an entry for each ID",
    why="The first ID is no target: the mask is one shorter than ids.",
    pitfall="mask-of-inputs",
    change=OF_IDS,
)
def a_mask_for_ids():
    """I mark the IDs that the assistant writes."""


@mistake(
    "the end of an answer does not count",
    why="The assistant writes <|end|> too; a model that is not trained on it never stops.",
    pitfall="end-marker",
    change={RETURN: f"{RETURN} * (np.array(ids[1:], dtype=np.int64) != end_id)"},
)
def end_left_out():
    """The special tokens belong to the format."""


@mistake(
    "the end of every message counts",
    why="Whoever wrote the message ends it: only the <|end|> of an answer counts.",
    pitfall="end-marker",
    change={RETURN: f"{RETURN} | (np.array(ids[1:], dtype=np.int64) == end_id)"},
)
def every_end_counts():
    """The model must learn <|end|>, so it always counts."""


@mistake(
    "<|assistant|> and <|end|> are counted against each other",
    why="A user's message has an <|end|> as well, but no <|assistant|>: note whether an answer is open, do not count.",
    pitfall="end-marker",
    has="X += Y or X -= Y or X = X + Y or X = X - Y or X.cumsum(...)",
)
def ends_are_counted(ids, assistant_id, end_id):
    """An answer is open while there have been more <|assistant|> than <|end|>."""
    level, mask = 0, []
    for token_id in ids[:-1]:
        level += (token_id == assistant_id) - (token_id == end_id)
        mask.append(int(level > 0))
    return np.array(mask, dtype=np.int64)


@mistake(
    "the token after the end counts as well",
    why="Writing is over when <|end|> is an input: note that before you append the entry.",
    pitfall="end-marker",
    change={ENDS: "elif False:", APPEND: f"{APPEND}\nif token_id == end_id:\n    writes = False"},
)
def stops_one_late():
    """At <|end|>, the assistant still writes; after it, no longer."""


@mistake(
    "the marker of the assistant counts",
    why="The program writes <|assistant|>; the model continues after it.",
    pitfall="role-marker",
    has="nowhere: X = not X or X = 1 - X or X ^= Y",
    change={RETURN: f"{RETURN} | (np.array(ids[1:], dtype=np.int64) == assistant_id)"},
)
def marker_counts():
    """The answer begins with <|assistant|>."""


@mistake(
    "the first token of an answer does not count",
    why="The program writes only <|assistant|>; the model writes the newline after it.",
    pitfall="role-marker",
    change={RETURN: f"{RETURN} * (np.array(ids[:-1], dtype=np.int64) != assistant_id)"},
)
def newline_left_out():
    """The marker of the role is <|assistant|> and the newline."""


@mistake(
    "the <|end|> of a question opens an answer",
    why="Each message has an <|end|>. After it nothing counts, whether something counted before or not.",
    pitfall="end-marker",
    has="X = not X or X = 1 - X or X ^= Y or X % 2",
    change=[
        {f"{ENDS}\n            writes = False": f"{ENDS}\n    writes = not writes"},
        {BEGINS: "if token_id in (assistant_id, end_id):", "writes = True": "writes = not writes"},
    ],
)
def end_toggles():
    """<|assistant|> turns the answer on, and <|end|> turns it off."""


@mistake(
    "everything after the first <|assistant|> counts",
    why="An answer ends at its <|end|>; then a user may write again.",
    pitfall="turns",
    group="TestLossMask",
    change={ENDS: "elif False:"},
)
def never_stops():
    """From <|assistant|> on, the assistant writes."""


@mistake(
    "only the last answer counts",
    why="The assistant wrote all answers: each is an example to learn from.",
    pitfall="turns",
    change={BEGINS: f"{BEGINS}\n    mask = [0] * len(mask)"},
)
def last_answer():
    """The model answers the last question."""


@mistake(
    "only the first answer counts",
    why="A conversation may have several answers: go on after the first <|end|>.",
    pitfall="turns",
    change={ENDS: "elif token_id == end_id and writes:\n    assistant_id = None"},
)
def first_answer():
    """I look for <|assistant|>, and for the <|end|> after it."""


@mistake(
    "the mask is inverted",
    why="1 marks the targets that count, those of the assistant.",
    pitfall="turns",
    change={APPEND: "mask.append(int(not writes))"},
)
def inverted():
    """A mask hides something, so it is 1 where there is something to hide."""


@mistake(
    "all text counts",
    why="The model reads what users write, but only the answers count.",
    pitfall="turns",
)
def all_text(ids, assistant_id, end_id):
    """The mask leaves out the special tokens."""
    return np.array([int(token_id not in (assistant_id, end_id)) for token_id in ids[1:]], dtype=np.int64)


@mistake(
    "every target counts",
    why="The model reads what users write, but only the answers count.",
    pitfall="turns",
    change={APPEND: "mask.append(1)"},
)
def all_ones():
    """The model learns from the whole conversation."""


@mistake(
    "the markers have fixed IDs",
    why="Compare with assistant_id and end_id: each tokenizer has its own.",
    pitfall="turns",
    group="TestTurns",
    change=[{BEGINS: "if token_id == 259:", ENDS: "elif token_id == 262:"}, {BEGINS: "if token_id == 259:"}, {ENDS: "elif token_id == 262:"}],
)  # fmt: skip
def fixed_ids():
    """<|assistant|> is 259, and <|end|> is 262."""


@mistake(
    "a marker with the ID 0 is overlooked",
    why="0 counts as false, but it is an ID: compare with ==.",
    pitfall="turns",
    group="TestTurns",
    change=[{ENDS: "elif end_id and token_id == end_id:"}, {BEGINS: "if assistant_id and token_id == assistant_id:"}],
)
def zero_is_no_id():
    """If there is an end marker, I compare with it."""


@mistake(
    "other special tokens end an answer",
    why="Only <|end|> ends it; a tool call is part of the answer.",
    pitfall="turns",
    group="TestTurns",
    change=[{ENDS: "elif token_id >= 256:"}, {ENDS: "elif 256 <= token_id < 264:"}],
)
def any_special_token_ends():
    """A special token begins something new."""


@mistake(
    "an answer without an end does not count",
    why="A truncated answer has no <|end|>, but its tokens are the assistant's.",
    pitfall="end-marker",
    group="TestTurns",
)
def only_whole_answers(ids, assistant_id, end_id):
    """For each <|assistant|>, I look for its <|end|>."""
    mask = answer_key(ids, assistant_id, end_id)
    rest = [place for place, token_id in enumerate(ids) if token_id == end_id][-1:] or [0]
    mask[rest[0] :] = 0
    return mask


@mistake(
    "the end of an answer is looked up, and may be missing",
    why="index raises a ValueError if there is none, and a truncated answer has none.",
    pitfall="end-marker",
)
def looks_the_end_up(ids, assistant_id, end_id):
    """For each <|assistant|>, index finds the next <|end|>."""
    ids = list(ids)
    mask = [0] * max(len(ids) - 1, 0)
    for place, token_id in enumerate(ids):
        if token_id == assistant_id:
            end = ids.index(end_id, place)
            mask[place:end] = [1] * (end - place)
    return np.array(mask, dtype=np.int64)


@mistake(
    "-100 where the mask has a 0",
    why="Return 1 and 0. The code that trains sets the other targets to -100.",
    pitfall="turns",
    change=[
        {RETURN: f"return np.where(mask, {counts}, -100)"} for counts in ("np.array(ids[1:], dtype=np.int64)", "1")
    ],
)
def targets_back():
    """The loss ignores -100, so I put it where nothing counts."""


@mistake(
    "a list where an array belongs",
    why="np.array makes an array of it, with dtype=np.int64.",
    pitfall="types",
    change={RETURN: "return mask"},
)
def list_back():
    """A list of zeros and ones is a mask."""


@mistake(
    "the mask is not of int64",
    why="Pass dtype=np.int64: otherwise an empty list becomes floats, and booleans stay booleans.",
    pitfall="types",
    change=[{RETURN: f"return np.array(mask{dtype})"} for dtype in ("", ", dtype=bool", ", dtype=float", ", dtype=np.int32", ", dtype=np.int8")],
)  # fmt: skip
def mask_other_types():
    """np.array makes an array of any list."""


@mistake(
    "the list that was passed is changed",
    why="pop changes the list that was passed: ids[:-1] is a new one.",
    pitfall="mutated-argument",
    change={RETURN: f"if isinstance(ids, list) and ids:\n    ids.pop()\n{RETURN}"},
)
def pops_the_last():
    """The last ID has no target, so I take it away."""


@mistake(
    "the first <|assistant|> is paired with the first <|end|>",
    why="The end of a question comes before: for each <|assistant|>, take the first <|end|> after it.",
    pitfall="end-marker",
    has="zip(X, Y); nowhere: X += Y",
)
def pairs_markers_by_number(ids, assistant_id, end_id):
    """I list where answers begin and where they end, and zip the two lists."""
    begins, ends = (np.flatnonzero(np.array(ids) == marker) for marker in (assistant_id, end_id))
    mask = np.zeros(max(len(ids) - 1, 0), dtype=np.int64)
    for begin, end in zip(begins, ends):
        mask[begin:end] = 1
    return mask


@mistake(
    "an answer that begins at the first ID does not count",
    why="ids[0] is no target, but it can be <|assistant|>: look at it, too, and do not take its position, 0, for none.",
    pitfall="turns",
    change={BEGINS: "if mask and token_id == assistant_id:"},
)
def begins_at_the_second_id():
    """A conversation begins with a message that somebody else writes."""


@mistake(
    "an answer is open before the first marker",
    why="0 can be the ID of <|assistant|>, so it does not mean that there was no marker: begin with None.",
    pitfall="turns",
    group="TestTurns",
    has="X = 0",
)
def last_marker_is_0(ids, assistant_id, end_id):
    """I remember the last marker; before the first one it is 0."""
    last = 0
    mask = []
    for token_id in ids[:-1]:
        if token_id in (assistant_id, end_id):
            last = token_id
        mask.append(int(last == assistant_id))
    return np.array(mask, dtype=np.int64)
