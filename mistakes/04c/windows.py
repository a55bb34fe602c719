"""Wrong solutions of windows."""

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from coach.diagnosis.bank import mistake
from g2c.solutions.batching import windows as answer_key

STARTS = "range(0, len(ids) - length, stride)"
TARGETS = "ids[start + 1 : start + length + 1] for start in starts"
RETURN = "return np.array(inputs, dtype=np.int64).reshape(shape), np.array(targets, dtype=np.int64).reshape(shape)"


@mistake(
    "the targets are not shifted",
    why="The target of an input is the token after it: begin the targets at start + 1.",
    pitfall="shift",
    change={TARGETS: "ids[start : start + length] for start in starts"},
)
def targets_are_the_inputs():
    """The model shifts them by itself."""


@mistake(
    "the targets are shifted the wrong way",
    why="The model predicts the next token, not the one before: begin the targets at start + 1.",
    pitfall="shift",
    change=[
        {"inputs = [": "targets = [", "targets = [ids[start + 1": "inputs = [ids[start + 1"},
        {TARGETS: "[ids[start], *ids[start : start + length - 1]] for start in starts"},
    ],
)
def targets_are_earlier():
    """To shift means to move to the right."""


@mistake(
    "the next window is the target",
    why="Every position has its own target, the token after it: begin the targets at start + 1, not start + length.",
    pitfall="shift",
    change=[
        {STARTS: "range(0, len(ids) - 2 * length + 1, stride)", TARGETS: "ids[start + length : start + 2 * length] for start in starts"},
        {TARGETS: "(list(ids) + [0] * length)[start + length : start + 2 * length] for start in starts"},
        {TARGETS: "row for row in [*inputs[1:], ids[-length:]][: len(inputs)]"},
    ],
)  # fmt: skip
def next_window_is_the_target():
    """A model reads a window and predicts what follows it."""


@mistake(
    "the next window is the target",
    why="Every position has its own target, the token after it: begin the targets at start + 1, not start + length.",
    pitfall="shift",
    has="2 * X or X * 2",
    change={TARGETS: "ids[start + length : start + 2 * length] for start in starts"},
)
def next_window_is_cut_off():
    """A model reads a window and predicts what follows it."""


@mistake(
    "only the last target is there",
    why="The model predicts at every position: a window of length inputs has length targets.",
    pitfall="shift",
    change={RETURN: f"{RETURN}[:, -1]"},
)
def one_target_for_each_window():
    """A model reads the window and predicts one token."""


@mistake(
    "a window that is not full is kept",
    why="The last input needs a target as well: the starts end before len(ids) - length.",
    pitfall="last-window",
    has="nowhere: 2 * X or X * 2 or X[Y + stride : Z] or X[stride:]",
    change=[{STARTS: f"range(0, {end}, stride)"} for end in ("len(ids)", "len(ids) - 1", "len(ids) - length + 1")],
)
def keeps_the_rest():
    """The windows go on until the IDs end."""


@mistake(
    "the last window is left out",
    why="It is complete if its last target is the last ID: the starts end before len(ids) - length.",
    pitfall="last-window",
    change=[
        {STARTS: "range(0, len(ids) - length - 1, stride)"},
        {STARTS: "range(0, len(ids) // length * length - length, stride)"},
    ],
)
def leaves_out_the_last_window():
    """The next window would reach beyond the end of the stream."""


@mistake(
    "the first ID is the target of the last one",
    why="Nothing follows the last ID, so it is no input: np.roll, or a position modulo the length, begins again.",
    pitfall="last-window",
    has="X.roll(...) or X % Y or X + Y[:Z] or X + [Y[0]]",
    change={
        STARTS: "range(0, len(ids) - length + 1, stride)",
        TARGETS: "np.roll(ids, -1)[start : start + length] for start in starts",
    },
)
def goes_around():
    """After its end, the stream goes on from its beginning."""


@mistake(
    "the last window is padded",
    why="Leave out what does not fill a window. A stream of a million tokens loses a few of them.",
    pitfall="last-window",
    has="[A] * B or B * [A] or X.pad(...) or X.full(...) or X.zeros(...) or while len(X) < Y: ...",
    change=[
        {
            STARTS: "range(0, max(len(ids) - 1, 0), stride)",
            "ids[start : start + length] for start in starts": f"(list(ids{cut}) + [{pad}] * length)[start : start + length] for start in starts",
            TARGETS: f"(list(ids) + [{other}] * length)[start + 1 : start + length + 1] for start in starts",
        }
        for cut in ("", "[:-1]")
        for pad, other in ((0, 0), (0, -100), (-100, -100))
    ],
)
def pads_the_last_window():
    """No token is lost."""


@mistake(
    "windows are one token short",
    why="A window has length inputs and length targets, so take length + 1 IDs for it.",
    pitfall="shift",
    change={RETURN: "rows = np.array(inputs, dtype=np.int64).reshape(shape)\nreturn rows[:, :-1], rows[:, 1:]"},
)
def cuts_before_shifting():
    """I cut the stream into windows of length IDs; then inputs are all but the last, and targets all but the first."""


@mistake(
    "windows start length + 1 tokens apart",
    why="The last of the length + 1 IDs must be an input of the next window, so windows start length tokens apart.",
    pitfall="shift",
)
def chunks_of_length_plus_one(ids, length, *, stride=None):
    """I cut the stream into parts of length + 1 IDs; inputs are all but the last, targets all but the first."""
    return answer_key(ids, length, stride=length + 1 if stride is None else stride)


@mistake(
    "the stride is ignored",
    why="Windows start at 0, stride, 2 * stride and so on.",
    pitfall="stride",
    group="TestStride",
    change={STARTS: "range(0, len(ids) - length, length)"},
)
def windows_never_overlap():
    """Each window starts where the last one ended."""


@mistake(
    "without a stride, there is a window at every token",
    why="If stride is None, it is length.",
    pitfall="stride",
    change={"stride = length": "stride = 1"},
)
def stride_of_one():
    """The default stride is 1."""


@mistake(
    "the stride is taken for a gap",
    why="It is the distance from one start to the next, so with a stride of length, windows have no gap between them.",
    pitfall="stride",
    group="TestStride",
    change={STARTS: "range(0, len(ids) - length, length if stride == length else length + stride)"},
)
def stride_between_windows():
    """The stride is what lies between two windows."""


@mistake(
    "the stride is taken for a gap",
    why="It is the distance from one start to the next, so with a stride of length, windows have no gap between them.",
    pitfall="stride",
    change={STARTS: "range(0, len(ids) - length, length + stride)"},
)
def windows_a_stride_apart():
    """The next window starts a stride after the end of the last one."""


@mistake(
    "the stride is taken for the overlap",
    why="It is the distance from one start to the next; the overlap is length - stride.",
    pitfall="stride",
    group="TestStride",
    change={STARTS: "range(0, len(ids) - length, max(length - stride, 1) if stride != length else length)"},
)
def stride_as_overlap():
    """The stride says how many tokens two windows share."""


@mistake(
    "the targets are shifted by the stride",
    why="A target is one token after its input, whatever the stride.",
    pitfall="shift",
    change={TARGETS: "(list(ids) + [0] * stride)[start + stride : start + stride + length] for start in starts"},
)
def targets_a_stride_later():
    """The stride is how far the targets are shifted."""


@mistake(
    "the targets are shifted by the stride",
    why="A target is one token after its input, whatever the stride.",
    pitfall="shift",
    has="X[Y + stride : Z] or X[stride:]; nowhere: 2 * X or X * 2",
    change={TARGETS: "ids[start + stride : start + stride + length] for start in starts"},
)
def targets_a_stride_later_cut_off():
    """The stride is how far the targets are shifted."""


@mistake(
    "a stride of 0 counts as none",
    why="0 is false, like None: ask `stride is None`.",
    pitfall="refusals",
    group="TestStride",
    change={"if stride is None:": "if not stride:"},
)
def zero_is_none():
    """If there is no stride, it is length."""


@mistake(
    "an invalid argument is not rejected",
    why="Check length and stride before anything else, and raise a ValueError.",
    pitfall="refusals",
    group="TestStride",
    change=[
        {"if value < 1:": "if False:"},
        {"if value < 1:": "if value < 0:"},
        {'(("length", length), ("stride", stride))': '(("length", length),)'},
        {'(("length", length), ("stride", stride))': '(("stride", stride),)'},
    ],
)
def refuses_nothing():
    """Nobody asks for windows of no tokens."""


@mistake(
    "an invalid argument is not rejected",
    why="Check length and stride before anything else, and raise a ValueError.",
    pitfall="refusals",
    group="TestStride",
    change={"if value < 1:": "if len(ids) and value < 1:"},
)
def refuses_nothing_without_ids():
    """Without IDs there is no window, so I return first."""


@mistake(
    "the message lacks the name of the argument, or its value",
    why="Name the argument and its value, so that the reader need not search.",
    pitfall="refusals",
    group="TestStride",
    change=[
        {'f"{name} must be at least 1, but it is {value}."': '"length and stride must be at least 1."'},
        {'f"{name} must be at least 1, but it is {value}."': 'f"invalid value: {value}"'},
    ],
)
def says_too_little():
    """A ValueError with a sentence."""


@mistake(
    "an invalid argument raises another error",
    why="Raise a ValueError.",
    pitfall="refusals",
    group="TestStride",
    change={"raise ValueError(": "raise TypeError("},
)
def raises_another_error():
    """A number that is too small is not of the right type."""


@mistake(
    "inputs and targets are swapped",
    why="Return inputs first, then targets.",
    pitfall="shift",
)
def parts_swapped(ids, length, *, stride=None):
    """The targets are what is wanted, so they come first."""
    return answer_key(ids, length, stride=stride)[::-1]


@mistake(
    "inputs and targets are not a tuple of two",
    why="Return two arrays, one of all inputs and one of all targets: return inputs, targets.",
    pitfall="shift",
    change={RETURN: "return list(zip(np.array(inputs, dtype=np.int64), np.array(targets, dtype=np.int64)))"},
)
def a_pair_for_each_window():
    """A window is a pair of inputs and targets, so I return a list of pairs."""


@mistake(
    "lists where arrays belong",
    why="np.array makes arrays of them, with dtype=np.int64.",
    pitfall="types",
    change={RETURN: "return [list(row) for row in inputs], [list(row) for row in targets]"},
)
def lists_back():
    """Lists of lists are rectangles too."""


@mistake(
    "arrays of another type",
    why="Pass dtype=np.int64: otherwise numpy keeps the type of the IDs, and empty arrays contain floats.",
    pitfall="types",
    change=[{RETURN: RETURN.replace(", dtype=np.int64", to)} for to in ("", ", dtype=np.int32", ", dtype=np.float32")],
)
def keeps_the_type():
    """numpy knows what type the IDs have."""


@mistake(
    "an empty result has one axis",
    why="np.array([]) has the shape (0,): reshape to (0, length).",
    pitfall="empty",
    change={RETURN: "return np.array(inputs, dtype=np.int64), np.array(targets, dtype=np.int64)"},
)
def one_axis():
    """np.array makes arrays of any lists."""


@mistake(
    "a stream that is too short raises an error",
    why="It has no windows: return two arrays of shape (0, length).",
    pitfall="empty",
    change=[
        {"shape =": 'if not inputs:\n    raise ValueError("The stream is too short.")\nshape ='},
        {RETURN: "return np.stack(inputs).astype(np.int64), np.stack(targets).astype(np.int64)"},
    ],
)
def too_short_is_an_error():
    """Without a window there is nothing to return."""


@mistake(
    "the list that was passed is changed",
    why="del and pop change the list that was passed: take slices.",
    pitfall="mutated-argument",
    change={RETURN: f"if isinstance(ids, list):\n    del ids[: len(inputs) * length]\n{RETURN}"},
)
def eats_the_list():
    """I cut off what I have used."""


@mistake(
    "inputs and targets share memory",
    why="Views of one array change together, and sliding_window_view's are read-only: copy them.",
    pitfall="mutated-argument",
    group="TestWindows",
)
def views(ids, length, *, stride=None):
    """Slices of an array cost nothing."""
    inputs, _ = answer_key(ids, length, stride=stride)
    if not len(inputs):
        return inputs, inputs.copy()
    rows = sliding_window_view(np.asarray(ids, dtype=np.int64), length + 1, writeable=True)[:: stride or length]
    return rows[:, :-1], rows[:, 1:]


@mistake(
    "an invalid length is reported as a stride",
    why="Without a stride, stride is the length: check length first.",
    pitfall="refusals",
    group="TestStride",
    has="stride = length or X = length if stride is None else stride",
    change={'("length", length), ("stride", stride)': '("stride", stride), ("length", length)'},
)
def stride_checked_first():
    """stride gets its value first, so I check it first."""
