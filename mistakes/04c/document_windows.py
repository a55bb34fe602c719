"""Wrong solutions of document_windows."""

import numpy as np

from coach.diagnosis.bank import mistake
from g2c.solutions.batching import IGNORED, windows
from g2c.solutions.batching import document_windows as answer_key

BOUNDS = "bounds = [0, *separators, len(ids) - 1]"
DOCUMENT = "document = ids[first : last + 1].tolist()"
EMPTY = "if set(document) <= {separator_id}:"
STARTS = "range(0, len(document) - 1, length)"
INPUTS = "row[:-1] + [separator_id] * padding"
TARGETS = "row[1:] + [IGNORED] * padding"
RETURN = "return np.array(inputs, dtype=np.int64).reshape(shape), np.array(targets, dtype=np.int64).reshape(shape)"


@mistake(
    "windows cross documents",
    why="Cut each document by itself, and then put the windows together.",
    pitfall="separators",
    change=[
        {BOUNDS: "bounds = [0, len(ids) - 1]"},
        {BOUNDS: "return windows(ids, length)"},
        {BOUNDS: "row, after = windows(ids, length)\nreturn row, np.where(row == separator_id, IGNORED, after)"},
    ],
)
def one_long_document():
    """The separator tells the model that something new begins."""


@mistake(
    "the separator before a document is left out",
    why="It is the first input, from which the model predicts how documents begin.",
    pitfall="separators",
    change={DOCUMENT: "document = ids[first + (first in separators) : last + 1].tolist()"},
)
def begins_after_the_separator():
    """A document is what is between two separators."""


@mistake(
    "the separator after a document is left out",
    why="It is the last target, from which the model learns where documents end.",
    pitfall="separators",
    change={DOCUMENT: "document = ids[first : last + (last not in separators)].tolist()"},
)
def ends_before_the_separator():
    """The separator belongs to the next document."""


@mistake(
    "documents come without separators",
    why="The separator before a document is its first input, and the one after it its last target.",
    pitfall="separators",
    change={DOCUMENT: "document = ids[first + (first in separators) : last + (last not in separators)].tolist()"},
)
def text_alone():
    """Separators only separate."""


@mistake(
    "documents come without separators",
    why="The separator before a document is its first input, and the one after it its last target.",
    pitfall="separators",
)
def text_alone_padded(ids, length, separator_id):
    """Separators only separate, and the rest of each document is padded."""
    answer_key(ids, length, separator_id)  # It checks the length.
    documents = [[]]
    for token_id in ids:
        if token_id == separator_id:
            documents.append([])
        else:
            documents[-1].append(int(token_id))
    inputs, targets = np.zeros((0, length), dtype=np.int64), np.zeros((0, length), dtype=np.int64)
    for document in documents:
        for start in range(0, len(document), length):
            row, after = document[start : start + length], document[start + 1 : start + 1 + length]
            inputs = np.vstack([inputs, row + [separator_id] * (length - len(row))])
            targets = np.vstack([targets, after + [-100] * (length - len(after))])
    return inputs, targets


@mistake(
    "a separator is added at an end of the corpus",
    why="A corpus that begins or ends without a separator has none there: its first ID is the first input.",
    pitfall="separators",
    change=[
        {DOCUMENT: "document = [*[separator_id] * (first not in separators), *ids[first : last + 1].tolist()]"},
        {DOCUMENT: "document = [*[separator_id] * (first not in separators), *ids[first : last + 1].tolist(), *[separator_id] * (last not in separators)]"},
    ],
)  # fmt: skip
def separators_around_every_document():
    """I split at the separators, and put one before and after each part."""


@mistake(
    "a separator is added at the end of the corpus",
    why="A corpus that ends without a separator has none there: its last ID is the last target.",
    pitfall="separators",
    group="TestDocumentEdges",
    change={DOCUMENT: "document = [*ids[first : last + 1].tolist(), *[separator_id] * (last not in separators)]"},
)
def separator_after_every_document():
    """Every document ends with a separator."""


@mistake(
    "what is before the first separator is left out",
    why="A corpus may begin with a document: 0 is the first bound.",
    pitfall="separators",
    change={BOUNDS: "bounds = [*separators, len(ids) - 1]"},
)
def begins_at_a_separator():
    """A document begins at a separator."""


@mistake(
    "what is after the last separator is left out",
    why="A corpus may end with a document: its last position is the last bound.",
    pitfall="separators",
    group="TestDocumentEdges",
    change={BOUNDS: "bounds = [0, *separators]"},
)
def ends_at_a_separator():
    """A document ends at a separator."""


@mistake(
    "the bounds of the documents are not in order",
    why="A set has no order: sort the positions of the separators, sorted(...).",
    pitfall="separators",
    group="TestDocuments",
    has="nowhere: sorted(...) or X.sort(...)",
    change={BOUNDS: "bounds = list({0, len(ids) - 1} | set(separators))"},
)
def bounds_in_a_set():
    """I put all bounds into a set, so that none is there twice."""


@mistake(
    "the last window of a document is left out",
    why="Pad it: otherwise short documents, and the ends of all others, are lost.",
    pitfall="padding",
    change={STARTS: "range(0, len(document) - length, length)"},
    has="nowhere: range(A, B, length + 1)",
)
def full_windows_only():
    """Only full windows count, as in windows."""


@mistake(
    "an ID between two windows is never an input",
    why="Each row starts with the last ID of the one before, so the step is length, not length + 1.",
    pitfall="shift",
    change={STARTS: "range(0, len(document) - 1, length + 1)"},
    has="range(A, B, length + 1)",
)
def rows_end_to_end():
    """A row takes length + 1 IDs, so the next one starts after them."""


@mistake(
    "windows that contain a separator are left out",
    why="Cut each document by itself: every token of it is a target once.",
    pitfall="separators",
)
def drops_what_crosses(ids, length, separator_id):
    """I cut everything, and leave out windows with two documents."""
    inputs, targets = windows(ids, length)
    keep = (inputs[:, 1:] != separator_id).all(axis=1)
    return inputs[keep], targets[keep]


@mistake(
    "a window contains only padding",
    why="The last ID is no input, so no window starts there: the starts end before len(document) - 1.",
    pitfall="padding",
    change={STARTS: "range(0, len(document), length)"},
)
def one_window_too_many():
    """The starts go to the end of the document."""


@mistake(
    "windows are padded to the longest of them",
    why="Each window has length tokens: pad_batch only makes all as long as the longest.",
    pitfall="padding",
)
def padded_to_the_longest(ids, length, separator_id):
    """pad_batch pads the windows."""
    inputs, targets = answer_key(ids, length, separator_id)
    longest = (targets != IGNORED).sum(axis=1).max(initial=0)
    return inputs[:, :longest], targets[:, :longest]


@mistake(
    "targets are padded with an ID",
    why="Nothing is to be predicted there: put IGNORED, -100, which the loss leaves out.",
    pitfall="padding",
    change=[{TARGETS: f"row[1:] + [{padded}] * padding"} for padded in ("separator_id", "0", "-1")],
)
def targets_padded_with_the_separator():
    """Inputs and targets are padded alike."""


@mistake(
    "inputs are padded with -100",
    why="-100 has no row in the model's embedding table: pad inputs with separator_id.",
    pitfall="padding",
    change={INPUTS: "row[:-1] + [IGNORED] * padding"},
)
def inputs_ignored():
    """Padding is -100."""


@mistake(
    "inputs are padded with 0, whatever the separator is",
    why="Pad them with separator_id.",
    pitfall="padding",
    group="TestDocuments",
    change={INPUTS: "row[:-1] + [0] * padding"},
)
def inputs_padded_with_zero():
    """Padding is 0."""


@mistake(
    "the padding is on the left",
    why="Models read from left to right in training: pad after the tokens.",
    pitfall="padding",
    change={INPUTS: "[separator_id] * padding + row[:-1]", TARGETS: "[IGNORED] * padding + row[1:]"},
)
def pads_on_the_left():
    """The end of a document is at the end of the window."""


@mistake(
    "the last ID of a document is an input too",
    why="Nothing follows it in its document, so it is only a target; the rest of the inputs is padding.",
    pitfall="padding",
    group="TestDocumentEdges",
    change={INPUTS: "(row + [separator_id] * padding)[:length]"},
)
def last_id_as_input():
    """I pad the document with separators and take length inputs."""


@mistake(
    "the last window reaches back",
    why="Each token of a document is a target once: pad the last window.",
    pitfall="padding",
    change={"row =": "start = min(start, max(len(document) - 1 - length, 0))\nrow ="},
)
def last_window_reaches_back():
    """The last window is moved to the left until it is full."""


@mistake(
    "separators alone make a window",
    why="Two separators next to each other enclose no document: leave them out.",
    pitfall="empty",
    group="TestDocumentEdges",
    change={EMPTY: "if False:"},
)
def empty_documents():
    """Between any two separators is a document."""


@mistake(
    "a short document is taken for an empty one",
    why="At an end of the corpus, one token and a separator are a document: ask whether it has more than separators.",
    pitfall="empty",
    group="TestDocumentEdges",
    change={EMPTY: "if len(document) <= 2:"},
)
def short_is_empty():
    """Two IDs are two separators, so there is nothing between."""


@mistake(
    "a corpus with no window raises an error",
    why="Without any window, return two arrays of shape (0, length).",
    pitfall="empty",
    change=[
        {RETURN: "return np.stack(inputs), np.stack(targets)"},
        {"inputs, targets = [], []": 'if len(ids) < 2:\n    raise ValueError("The corpus is too short.")\ninputs, targets = [], []'},
    ],
    group="TestDocuments",
)  # fmt: skip
def nothing_is_an_error():
    """Without a window there is nothing to return."""


@mistake(
    "an empty result has one axis",
    why="np.array([]) has the shape (0,): reshape to (0, length).",
    pitfall="empty",
    group="TestDocumentEdges",
    change={RETURN: "return np.array(inputs, dtype=np.int64), np.array(targets, dtype=np.int64)"},
)
def documents_one_axis():
    """np.array makes arrays of any lists."""


@mistake(
    "windows go on from one document to the next",
    why="The first window of a document starts at its beginning, wherever the last one ended.",
    pitfall="separators",
)
def marks_the_other_document(ids, length, separator_id):
    """I cut the corpus as a whole, and ignore the targets after a separator."""
    inputs, targets = windows([*ids, *[separator_id] * length], length)
    ended = np.cumsum(targets == separator_id, axis=1) - (targets == separator_id) > 0
    return np.where(ended, separator_id, inputs), np.where(ended, -100, targets)


@mistake(
    "inputs and targets are swapped",
    why="Return inputs first, then targets.",
    pitfall="shift",
)
def documents_parts_swapped(ids, length, separator_id):
    """The targets are what is wanted, so they come first."""
    return answer_key(ids, length, separator_id)[::-1]


@mistake(
    "lists where arrays belong",
    why="np.array makes arrays of them, with dtype=np.int64.",
    pitfall="types",
    change={RETURN: "return inputs, targets"},
)
def documents_lists_back():
    """Lists of lists are rectangles too."""


@mistake(
    "a list is compared with a number",
    why="A list never equals a number, so no separator is found: make an array first, np.asarray(ids).",
    pitfall="types",
    has="np.flatnonzero(X == Y) or np.where(X == Y) or np.nonzero(X == Y) or np.argwhere(X == Y); "
    "nowhere: np.array(ids) or np.asarray(ids) or np.array(ids, dtype=X) or np.asarray(ids, dtype=X)",
    change={
        "ids = np.array(ids, dtype=np.int64)": "given, ids = ids, np.fromiter(ids, np.int64)",
        "ids == separator_id": "given == separator_id",
    },
)
def documents_of_a_list():
    """numpy finds the separators in ids == separator_id."""


@mistake(
    "arrays of another type",
    why="Pass dtype=np.int64: empty arrays contain floats, and -100 does not fit into the type of saved IDs.",
    pitfall="types",
    change=[
        *({RETURN: RETURN.replace(", dtype=np.int64", to)} for to in ("", ", dtype=np.int32", ", dtype=np.float32")),
        {
            "ids = np.array(ids, dtype=np.int64)": "kind = np.asarray(ids).dtype\nids = np.array(ids, dtype=np.int64)",
            TARGETS: f"np.array({TARGETS}, dtype=kind).tolist()",
        },
    ],
)
def documents_other_types():
    """numpy knows what type the IDs have."""


@mistake(
    "an invalid length is not rejected",
    why="Check length before anything else, and raise a ValueError.",
    pitfall="refusals",
    group="TestDocumentEdges",
    change=[{"if length < 1:": "if False:"}, {"if length < 1:": "if length < 0:"}],
)
def documents_refuses_nothing():
    """Nobody asks for windows of no tokens."""


@mistake(
    "an invalid length is not rejected",
    why="Check length before anything else, and raise a ValueError.",
    pitfall="refusals",
    group="TestDocumentEdges",
    change={"if length < 1:": "if len(ids) and length < 1:"},
)
def documents_refuses_nothing_without_ids():
    """Without IDs there is no window, so I return first."""


@mistake(
    "the message lacks the name of the argument, or its value",
    why="Name the argument and its value, so that the reader need not search.",
    pitfall="refusals",
    group="TestDocumentEdges",
    change={'f"length must be at least 1, but it is {length}."': '"length must be at least 1."'},
)
def documents_says_too_little():
    """A ValueError with a sentence."""


@mistake(
    "the list that was passed is changed",
    why="append changes the list that was passed: make a new one.",
    pitfall="mutated-argument",
    group="TestDocumentEdges",
)
def appends_to_the_callers_list(ids, length, separator_id):
    """If there is no separator at the end, I append one, so that every document has one."""
    windows_of_all = answer_key(ids, length, separator_id)
    if isinstance(ids, list) and ids and ids[-1] != separator_id:
        ids.append(separator_id)
    return windows_of_all


@mistake(
    "the separator after a document is taken for padding",
    why="It is a target: count how many targets you added, and put IGNORED only there; do not look at their IDs.",
    pitfall="padding",
    change={TARGETS: "[IGNORED if one == separator_id else one for one in row[1:]] + [IGNORED] * padding"},
)
def ignores_every_separator():
    """I pad with separators, and then put -100 wherever a target is one."""
