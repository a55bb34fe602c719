"""What a student sees when a test fails: short, complete and true."""

import inspect
import linecache
import re
import subprocess
import sys
from collections import Counter
from copy import copy
from dataclasses import replace
from functools import cache
from textwrap import indent
from typing import Any

import numpy as np
import pytest

from coach.common.paths import REPOSITORY
from coach.diagnosis import diagnose, general, make, matching, slips
from coach.diagnosis.bank import entries, entry
from coach.diagnosis.make import Replays, by_outcome
from coach.diagnosis.outcomes import outcome_of
from coach.diagnosis.syntax import has_code
from coach.diagnosis.table import OutcomeTable
from coach.exercises import BANK, modules
from coach.teaching import call, check, check_raises, recording
from coach.testing.calls import LONG_VALUE, Call, Effect, History
from coach.testing.comparison import first_difference, same
from coach.testing.limits import OverLimit
from coach.testing.observation import Observation, StudentFailure, _describers
from coach.testing.report import Mistake
from g2c import tokenizer as tokenizers
from g2c.language_model import NGramModel
from g2c.solutions.bpe import BPETokenizer


@pytest.fixture(autouse=True)
def history():
    """The history of a test run that has only just begun."""
    with recording(History(diagnose)) as history:
        yield history


class Growing(OutcomeTable):
    """A table that has every call: that of the suites has theirs, and these tests make calls of their own."""

    def __init__(self, module):
        super().__init__(module)
        self.replays = Replays(module, entries(module.id))

    def outcomes(self, seen):
        places, outcomes = self.replays.row(seen)
        return self.read(places, by_outcome(outcomes))


growing_table = cache(Growing)
"""One for all tests, so that what never returns is waited for once."""


@pytest.fixture(autouse=True)
def every_call_is_in_the_table(monkeypatch):
    monkeypatch.setattr(matching, "table_of", growing_table)
    monkeypatch.setattr(make, "OF_A_REPLAY", replace(make.OF_A_REPLAY, seconds=0.2))


def report(*arguments, **options) -> list[str]:
    """The lines of the report that a check fails with."""
    with pytest.raises(StudentFailure) as failure:
        check(*arguments, idea="The idea.", **options)
    return str(failure.value).splitlines()


def mistake(*arguments, **options) -> str:
    """The mistake that the report names; "" where it names none."""
    lines = report(*arguments, **options)
    return next((line.partition(":")[2].strip() for line in lines if line.startswith("Mistake:")), "")


def tokenizer_with(**methods) -> BPETokenizer:
    """The answer key with these functions as methods, under the names that they would have in the exercise file."""
    for name, function in methods.items():
        function.__name__, function.__qualname__ = name, f"BPETokenizer.{name}"
    return type("BPETokenizer", (BPETokenizer,), methods)()


def tokenizer_of(source: str) -> BPETokenizer:
    """The answer key with these functions as methods, as a student would have written them in a file."""
    file = str(BANK / "04" / "a_students_file.py")
    linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
    names: dict = {"BPETokenizer": BPETokenizer, "cache": cache}
    exec(compile(source, file, "exec"), names)
    own = {name for name in names if f"def {name}(" in source}
    return tokenizer_with(**{name: names[name] for name in own})


def encode_with(code: str) -> BPETokenizer:
    """The answer key with this body for `encode`."""
    return tokenizer_of("def encode(self, text):\n" + indent(code, "    ") + "\n")


# --- the report -------------------------------------------------------------------------------------------------------


def test_a_report_says_what_was_called_with_which_state_what_came_what_was_expected_and_why(tmp_path):
    tokenizer = BPETokenizer(["<|end|>"], "gpt2")
    tokenizer.set_merges([(104, 101)])
    outcome = call(tokenizer.encode, "he")
    assert report(outcome, [1], pitfall="ties")[-1] == "Read:       docs/04-pitfalls.md#pitfall-ties"
    for called in (outcome, call(BPETokenizer.load(tokenizer.save(tmp_path / "tokenizer.json")).encode, "he")):
        assert report(called, [1]) == [
            "Called:     tokenizer.encode('he')",
            "Tokenizer:  merges (104,101) 'he' -> 257; 1 special token, 256; pattern gpt2",
            "Came back:  [257]",
            "Expected:   [1]",
            "Idea:       The idea.",
            "Read:       docs/04-pitfalls.md#pitfalls",
        ]


def test_state_and_arguments_are_those_before_the_call():
    tokenizer = tokenizer_of("def train_step(self, ids, new_id): self.merges[1, 2] = ids.pop()")
    outcome = call(tokenizer.train_step, [1, 256], 256)
    assert report(outcome.attribute("merges"), {})[:3] == [
        "Called:     tokenizer.train_step([1, 256], 256)",
        "Tokenizer:  no merges; no special tokens; no pattern",
        "Afterwards: tokenizer.merges is {(1, 2): 256}",
    ]


@pytest.mark.parametrize(
    "made",
    [
        *(BPETokenizer(), tokenizers.CharTokenizer(), tokenizers.WordBPETokenizer()),
        *(tokenizers.WordPieceTokenizer(["[UNK]"]), tokenizers.UnigramTokenizer({"<unk>": 0}), NGramModel(2, 4)),
    ],
    ids=lambda made: type(made).__name__,
)
def test_the_bank_describes_the_attributes_that_objects_have(made):
    known = _describers()
    describe, *_ = [known[kind.__name__] for kind in type(made).__mro__ if kind.__name__ in known]
    assert isinstance(describe(vars(made)), str)


def test_a_state_that_the_bank_cannot_describe_is_listed_by_attributes():
    tokenizer = BPETokenizer()
    tokenizer.merges = [1]
    assert "merges [1]" in report(call(tokenizer.encode, ""), [1])[1]


def test_an_error_is_reported_with_its_place_in_the_exercise_file():
    lines = report(call(BPETokenizer().decode, [999]), "text")
    assert re.fullmatch(
        r"Came back:  ValueError: There is no token with ID 999.*, in decode, g2c/solutions/bpe\.py, line \d+", lines[2]
    )


class Odd:
    def __repr__(self):
        return "odd\n" * 100


class Unshowable(dict):
    def __repr__(self):
        raise KeyError("no repr")


NUMBERS = list(range(10_000))
UNSHOWN = "which repr cannot show"


@pytest.mark.parametrize(
    ("value", "shown"),
    [(Odd(), "odd odd"), ("x\n" * 5000, "10000 characters"), (dict(enumerate(NUMBERS)), "9999: 9999}")]
    + [((1, [2] * 999), "(1, 999 items"), ([Unshowable()], UNSHOWN), (10**5000, UNSHOWN)],
    ids=["odd", "text", "dictionary", "tuple", "no repr", "long number"],
)
def test_a_report_has_at_most_nine_lines_whatever_comes(value, shown):
    lines = report(call(tokenizer_with(encode=lambda self, text: value).encode, "text\n" * 400), NUMBERS)
    assert len(lines) <= 9 and max(map(len, lines)) < 260
    assert shown in next(line for line in lines if line.startswith("Came back:"))


# --- long values ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actual", "expected", "line"),
    [
        (
            [*range(500)],
            [*range(321), 7, *range(322, 500)],
            "at position 321; from 319 on yours is [319, 320, 321, 322, 323, 324], "
            "expected [319, 320, 7, 322, 323, 324]",
        ),
        ({n: n for n in range(101)}, {n: n for n in range(100)}, "at 100: yours is 100, expected nothing"),
        (np.zeros(2), np.zeros(2, dtype=int), "the dtype is float64, but int64 was expected"),
        (np.array([[1, 0.5]]), np.array([[1, 0.25]]), "at [0, 1]: yours is 0.5, expected 0.25"),
        (np.arange(3), np.zeros(3, dtype=int), "at [1]: yours is 1, expected 0 (2 of 3 values differ)"),
    ],
    ids=["list", "entry added", "dtype", "array", "two places"],
)
def test_where_long_values_and_arrays_differ(actual, expected, line):
    assert first_difference(actual, expected) == line
    assert f"Difference: {line}" in report(call(tokenizer_with(encode=lambda self, text: actual).encode, "x"), expected)


def test_of_a_long_dictionary_of_the_object_the_entry_that_differs_is_shown_alone():
    outcome = call(tokenizer_of("def train_step(self, ids, new_id): self.vocab[new_id] = (1, 2)").train_step, [1], 256)
    for added, shown in (({256: b"th"}, "b'th'"), ({}, "missing")):
        lines = report(outcome.attribute("vocab"), BPETokenizer().vocab | added)
        assert lines[2:4] == ["Afterwards: tokenizer.vocab[256] is (1, 2)", f"Expected:   {shown}"]


def test_a_value_that_a_suite_cannot_compare_with_its_own_line_has_the_general_report():
    """Such as swapped merges, of which a test looks for the first that differs."""
    lines = report(call(encode_with("return None").encode, "x"), [1], difference=lambda seen, _: seen.result[0])
    assert "Came back:  None" in lines


# --- what counts as equal ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actual", "expected", "equal"),
    [
        (Counter({(1, 2): 3}), {(1, 2): 3}, True),
        (([1], (np.int64(1), 2), np.int64(5)), ([1], (1, 2), 5), True),
        ([1, 2], (1, 2), False),
        ([True], [1], False),
        (1.00001, 1.0, False),
        ([0.1 + 0.2, {"a": 0.3}], [0.3, {"a": 0.1 + 0.2}], True),
        (10**12 + 1, 10**12, False),
        ([np.float16(2048)], [2049], False),
        (np.array([1, 2], dtype=np.int32), np.array([1, 2]), True),
        ((2, np.bool_(True)), (2, True), True),
        ([np.bool_(True)], [1], False),
        (np.array([True]), np.array([1]), False),
        ([1, 2], np.array([1, 2]), False),
    ],
)
def test_what_counts_as_equal_whatever_it_was_made_with(actual, expected, equal):
    assert same(actual, expected) is equal


# --- the other checks -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("code", "kind", "said"),
    [
        ("return 'H'", ValueError, "Came back:  'H'"),
        ("raise ValueError('999')", KeyError, "Expected:   KeyError with '999' in its message"),
        ("raise ValueError('1000')", ValueError, "the error's message lacks something. It must contain '999'"),
        ("raise type('ValueError', (Exception,), {})('999')", ValueError, "ValueError is a class of your own here. "),
        ("return [].index(3)", ValueError, "this ValueError is Python's own. It says nothing of '999': check for"),
    ],
)
def test_check_raises_wants_the_kind_and_the_words(code, kind, said):
    check_raises(call(BPETokenizer().decode, [999]), ValueError, saying="999", idea="…")
    with pytest.raises(StudentFailure, match=re.escape(said)):
        check_raises(call(encode_with(code).encode, "x"), kind, saying="999", idea="…")


# --- which mistake is named -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("slip", slips.slips_of_errors(), ids=lambda slip: slip.name)
def test_each_slip_is_named_by_its_example_and_nothing_unrelated_is_to_be_read(slip):
    lines = report(call(encode_with(slip.example).encode, "xyz"), [1, 2, 3], pitfall="merge-order")
    named = re.sub(r"\\\\\d|\\{.*?\\}", ".+", re.escape(f"Mistake:    {slip.name}. {slip.why}"))
    assert any(re.fullmatch(named, line) for line in lines), lines
    # The end of a list may be what the exercise is about.
    assert lines[-1].startswith("Read:" if slip.error.startswith("IndexError") else "Idea:"), lines


# The argument of `encode`, and the expected result.
XYZ = "xyz", [1, 2, 3]
IDS = [7, 8, 9], []
EMPTY = [7, 8, 9], [1]
NOTHING = "nothing is put into the result."
NONE = "None is returned. The return"
FROM_LINES_3_4 = "None is returned. It comes from the return in one of the lines 3, 4."
HIDES = "try:\n    return text + 1\nexcept Exception:\n    pass"
BEYOND = "{0}[{1}] reaches beyond the last ID. The last one is at len({0}) - 1: change the position, or ask `{1} <"
CHECKED = "arguments that must work. A check leads to the raise in line 3, but should not."
CALLED = "arguments that must work. It is raised in _pieces, which line 2 calls: compare what"
VALUES = "for arguments that must work. Go through line 2 with these values."


@pytest.mark.parametrize(
    ("name", "code", "argument", "expected"),
    [
        # Names that do not exist, and where a slip shows in the code alone.
        ("there is no name 'conts'. Did you mean: 'counts'?", "counts = {}\nreturn conts", *XYZ),
        ("there is no name 'np'. Assign or import it first", "return np.array([1])", *XYZ),
        ("a variable hides Python's list. Give", "list = [1]\nreturn list(text)", *XYZ),
        ("arrays of the shapes (2,) and (3,) are", "import numpy\nreturn numpy.where([0, 1], [4, 5, 6], 0)", *XYZ),
        ("there is no attribute or method 'mergs'. Did you mean: 'merges'?", "return self.mergs", *XYZ),
        ("ids is None. Check `ids is not None` first", "ids = None\nfor one in ids:\n    return one", *XYZ),
        ("ids is None. Check `ids is not None` first", "ids = None\nreturn [one for one in ids]", *XYZ),
        ("the code ends the whole program", "import sys\nsys.exit(0)", *XYZ),
        ("breakpoint() and input() wait for a keyboard", "return input()", *XYZ),
        ("the highest count is used as", "counts = {1: 1}\npair = max(counts.values())\nreturn pair[0]", *XYZ),
        ("== is written where = belongs", "self.merges[1, 2] == 256\nreturn []", *XYZ),
        ("a for loop sets its variable", "for i in range(3):\n    if i == 1:\n        i += 2\nreturn [i]", *XYZ),
        ("the result of a method that returns None", "result = []\nresult = result.append(text)\nreturn result", *XYZ),
        ("the result of a call is not kept", "text.lower()\nreturn list(text)", *XYZ),
        ("the check accepts an ID that", "if 256 > self.vocab_size:\n    return []\nreturn self.vocab[256]", *XYZ),
        ("numbers are compared with `is`", "other = int('5')\nreturn [1] if other is text else [2]", 5, [3]),
        ("two names stand for one object", "a = b = []\na.append(1)\nb.append(2)\nreturn a", *XYZ),
        ("a variable after `case` is set", "x = 1\nmatch text:\n    case [x, *rest]: return [x]\nreturn text", *EMPTY),
        ("an except may hide an error in your code. ", HIDES, *XYZ),
        ("a loop's variable gets a new value", "for one in text:\n    one = one.upper()\nreturn text", *XYZ),
        ("an iterator is searched again", "pairs = zip(text)\nreturn [1 for one in '1' if one in pairs]", *XYZ),
        # Code that only looks like a slip.
        ("", "for one in text:\n    pairs = zip(text)\n    text in pairs\nreturn [7]", *XYZ),
        ("", "for one in text:\n    one = ord(one)\nreturn [one]", *XYZ),
        ("None is returned.", HIDES.replace("Exception", "TypeError").replace("pass", "return"), *XYZ),
        ("", "a = b = 0\na += 1\nb += 1\nreturn [a]", *XYZ),
        ("", "match text:\n    case [x, *rest]: return [x]\nreturn text", *EMPTY),
        ("", "return [1] if text is not None else [2]", 5, [3]),
        ("", "import numpy as np\nids = []\nids = np.append(ids, 7)\nreturn [7]", *XYZ),
        ("", "for i in range(3):\n    text = text\n    i += 1\nreturn [7]", *XYZ),
        ("", "tokens = [b'a']\nreturn [7] if b''.join(bytes(token) for token in tokens) else []", *XYZ),
        ("", "counts = list({(1, 2): 3}.items())\nfor pair, count in counts:\n    pair\nreturn [7]", *XYZ),
        ("", "for i in range(3):\n    if i:\n        i += 1\n    text[i:]\nreturn [7]", *XYZ),
        # Code that cannot do what it seems to. The last of each kind is right, and returns [] or another list.
        ("a position is used in", "for i in range(len(text) - 1):\n    if i not in text: pass\nreturn []", *EMPTY),
        (NOTHING, "for i in range(len(text)):\n    if text[i] in text and i in {1}: pass\nreturn []", *EMPTY),
        ("arguments are passed", "pair = 7, 8\nself._merge(text, self.merges.get(pair), pair)\nreturn []", *EMPTY),
        (NOTHING, "pair, new_id = (7, 8), 9\nself._merge(pair, pair, new_id)\nreturn []", *EMPTY),
        ("each iteration of a loop replaces", "for item in text:\n    found = [item]\nreturn found", *EMPTY),
        ("", "for item in text:\n    found = [item]\n    text = text + found\nreturn text", *EMPTY),
        ("the items are taken in the order of a set", "found = set(text) | {7}\nreturn [*found]", *XYZ),
        ("the items are taken in the order of a set", "return [set(text).pop()]", *XYZ),
        ("", "found = {*text}\nfor one in sorted(found):\n    one in found\nreturn [7]", *XYZ),
        # Why a position does not exist, before that it does not. A dictionary's keys, and a loop that ends, are right.
        ("items are used as positions", "for i in text:\n    i, text[i + 1]", *IDS),
        ("the list gets shorter", "for i in range(len(text) - 1):\n    del text[text[i + 1] - 8]", *IDS),
        ("a list that the function makes", "table = [0] * len(text)\nfor i in range(4):\n    table[i]", *IDS),
        ("the first or last item of an empty sequence", "for key in {7: 8}:\n    {7: 8}[key]\nreturn [][0]", *IDS),
        # An item is shown as it was written, with what to ask.
        (BEYOND.format("self.ids", "place + 1"), "self.ids = text\nplace = 2\nreturn (self.ids) [(place)+1]", *IDS),
        (BEYOND.format("text", "i + 1"), "i = 0\nreturn [(text[i], text[i+1]) for i in range(len(text))]", *IDS),
        ("rows[r] reaches beyond the last item.", "import numpy\nrows, r = numpy.ones((2, 3)), 2\nrows[r, :2]", *XYZ),
        # Values of another kind, or in another order.
        ("an iterator where a list belongs. yield, map", "return iter([1])", *XYZ),
        ("False where a list belongs. Compare it with", "return False", *XYZ),
        ("a list where a tuple belongs. ", "return [[1], 2]", "xyz", ([1], 2)),
        ("the entries are in a different order", "return [2, 1, 3]", *XYZ),
        ("", "return [0, 0, 1, 1]", "xyz", [0, 1, 1, 0]),
        ("a part of the result is missing", "return [2], 1", "xyz", ([2], 1, 1)),
        ("the results are in another order", "return 1, [2]", "xyz", ([2], 1)),
        ("", "return 2, 1", "xyz", (1, 2)),
        ("", "found = [1, 2]\nreturn [one for one in found if one > 2]", "xyz", [1, 2]),
        ("the list that was passed is changed. ", "text.reverse()\nreturn text", [1, 2, 3], [1, 2, 3]),
        # The lines that may have returned None.
        ("nothing is returned. A function that ends without return returns None.", "self.merges.clear()", *XYZ),
        ("nothing is returned. Line 2 computes a value: write return before it.", "text.upper()", *XYZ),
        (f"{NONE} in one of the lines 3, 5, or the end", "if text:\n    return\nelse:\n    return None", *XYZ),
        (f"{NONE} in line 4 was", "found = []\nif text:\n    return None\nreturn found", *XYZ),
        (FROM_LINES_3_4, "if not text:\n    return None\nreturn text if text == 'abc' else None", *XYZ),
        # Errors that nothing else explains.
        ("the function calls itself without end", "return self.encode(text)", *XYZ),
        ("KeyError for arguments that must work. There is no key None: find", "return self.vocab[self.pattern]", *XYZ),
        (f"ArithmeticError for {CHECKED}", "if text:\n    raise ArithmeticError('no')", *XYZ),
        (f"TypeError {VALUES} Which of them has the wrong type?", "return (-1) ** 0.5 > 0", *XYZ),
        (f"TypeError {VALUES} Which", "return __import__('statistics').mean(one * 1.5 for one in text)", *XYZ),
        (f"TypeError for {CALLED}", "return [*self._pieces(b'')]", *XYZ),
    ],
)
def test_the_mistake_in_code_is_named(name, code, argument, expected):
    assert_named(name, call(encode_with(code).encode, copy(argument)), expected)


def test_a_module_that_the_file_imports_is_no_list_even_where_the_code_runs_in_another_process():
    tokenizer = tokenizer_of("import numpy as np\n\n\ndef encode(self, text):\n    return [7] or list(np.sort([]))\n")
    del type(tokenizer).encode.__globals__["np"]
    assert mistake(call(tokenizer.encode, "xyz"), [1]) == ""


def test_nothing_is_said_of_a_result_where_a_test_looks_at_something_else():
    seen = call(encode_with("self.ids = []").encode, "xyz").seen_as(lambda _: [], "what was saved")
    assert_named("", seen, [1])


def test_where_the_code_is_unknown_its_error_and_its_result_tell():
    for body, name in ((lambda self, text: {[1]: 2}, "a list is used"), (lambda self, text: None, "nothing is")):
        assert_named(name, call(tokenizer_with(encode=body).encode, "xyz"), [1, 2, 3])


def test_no_slip_is_found_in_given_code():
    given = tokenizers.UnigramTokenizer.train
    assert "self.vocab_size < vocab_size" in inspect.getsource(given)
    assert_named("", call(tokenizers.UnigramTokenizer().train, "a hug a hug", 8), [1, 2])


def assert_named(name: str, seen: Observation, expected: Any) -> None:
    named = mistake(seen, expected)
    assert named.startswith(name) and bool(named) == bool(name), named


LEFT_OVER = "something from an earlier call is still there"
CHANGED = "the list that was passed is changed"
NOT_IN_DECODE = "the mistake is in encode, not in decode. tokenizer.encode('The') gave"
HIDDEN = "a variable of the function has the name merges. merges without self. is a new variable"
IN_THE_LOOP = "the function returns inside the loop. The return in line 6 ends it"
ARGUMENT = "the argument is returned in place of the result. "
NO_PAIRS_LEFT = "the case of no pairs left is not handled (or: another cause of the same ValueError)."
IN_BUILD = "arguments that must work. It is raised in build_vocab, which line 5 calls"
CALLS_BUILD = "def build_vocab(self):\n    return 1j > 0\n\ndef encode(self, text):\n    return self.build_vocab()"
WAVING = "\N{WAVING HAND SIGN}"
SAME_BUT_3 = [3, 4, 5], (1, 2), 9
MAX_OF_NONE = "def train_step(self, ids, new_id): return max(())"
MAX_OF_THE_PAIRS = """
def train_step(self, ids, new_id):
    self.merges[5, 1], self.vocab[new_id] = new_id, bytes([5, 1])
    return [256, 2, 1, 2, 7], (5, 1), 1
"""
LOWER = "def encode(self, text): return list(text.lower().encode())"
ADDS_ONE = "def encode(self, text): return [*text.encode(), 33]"
COMPARES = "def _merge(self, ids, pair, new_id):\n    return [9, ids == new_id]"
ONE = "def encode(self, text): return 1"
RETURNS = "def encode(self, text): return [], {(1, 2): 256}"
COUNTS_NONE = "def _get_pair_counts(self, ids, *, barrier_ids=None): return {}"
KEEPS = """
def encode(self, text, add_special_tokens=False):
    kept = self.__dict__.setdefault("kept", {})
    if text not in kept:
        kept[text] = BPETokenizer.encode(self, text)
    return [*kept[text]]
"""
HAS_A_CACHE = """
@cache
def _merged(self, piece):
    ids = list(piece)
    while known := [pair for pair in zip(ids, ids[1:]) if pair in self.merges]:
        ids = self._merge(ids, known[0], self.merges[known[0]])
    return ids

def encode(self, text):
    return [token_id for piece in self._pieces(text) for token_id in self._merged(piece)]
"""
KEEPS_A_DEFAULT = """
def _get_pair_counts(self, ids, *, barrier_ids=None, kept={}):
    kept |= BPETokenizer._get_pair_counts(self, ids)
    return kept
"""
KEEPS_AN_ATTRIBUTE = """
def _get_pair_counts(self, ids, *, barrier_ids=None):
    self.counts = getattr(self, "counts", {})
    self.counts |= BPETokenizer._get_pair_counts(self, ids)
    return self.counts
"""
EMPTIES = """
def decode(self, ids):
    text = ""
    while ids:
        text += chr(ids.pop(0))
    return text
"""
CLEARS = "def _get_pair_counts(self, ids, *, barrier_ids=None):\n    ids.clear()\n    return {}"
LOSES = "def _merge(self, ids, *_):\n    return ids[:-1] if ids[0] == 3 else BPETokenizer._merge(self, ids, *_)"
CHANGES = "def encode(self, text):\n    self.merges[1, 2] = 256\n    return []"
RETURNED_AT_ONCE = """
def _get_pair_counts(self, ids, *, barrier_ids=None):
    counts = {}
    for pair in zip(ids, ids[1:]):
        counts[pair] = 1
        return counts
"""
RETURNS_ITS_ARGUMENT = """
def _merge(self, ids, pair, new_id):
    merged = [0]
    for token_id in ids:
        merged.append(token_id)
    return ids
"""
WITH_A_HELPER = """
def decode(self, ids):
    return one_by_one(self.vocab, ids)

def one_by_one(vocab, ids):
    return "".join(vocab[i].decode("utf-8", "replace") for i in ids)
"""


def calls(tokenizer: BPETokenizer, name: str, *arguments: Any) -> Observation:
    """Call a method with each of these arguments, or tuples of arguments; the last call counts."""
    several = [one if isinstance(one, tuple) else (one,) for one in arguments]
    return [call(getattr(tokenizer, name), *one) for one in several][-1]


def learns_between(tokenizer: BPETokenizer) -> Observation:
    call(tokenizer.encode, "lala")
    tokenizer.merges[108, 97] = 256
    return calls(tokenizer, "encode", "la", "lala")


def cleared(tokenizer: BPETokenizer) -> Observation:
    return call(tokenizer._get_pair_counts, [1, 2]).argument()


def merges_after(tokenizer: BPETokenizer) -> Observation:
    return call(tokenizer.encode, "a").attribute("merges")


def learned_before(tokenizer: BPETokenizer) -> Observation:
    call(tokenizer.encode, "a")
    tokenizer.merges[1, 2] = 7
    return call(tokenizer.encode, "b").attribute("merges")


def entry_of_8(tokenizer: BPETokenizer) -> Observation:
    return call(tokenizer.encode, "x").seen_as(lambda table: table[8], "the entry of 8")


@pytest.mark.parametrize(
    ("name", "source", "made", "expected"),
    [
        # The order of what is drawn at random, and an exercise of another module, which could be a given method here.
        ("", "def encode(self, text, seed=0):\n    return [2, 1, 3]", lambda it: calls(it, "encode", "x"), [1, 2, 3]),
        (f"TypeError for {IN_BUILD}", CALLS_BUILD, lambda it: calls(it, "encode", "x"), [1]),
        # What an earlier call has left.
        (LEFT_OVER, KEEPS_A_DEFAULT, lambda it: calls(it, "_get_pair_counts", [1, 2], [3, 4]), {(3, 4): 1}),
        (LEFT_OVER, KEEPS_AN_ATTRIBUTE, lambda it: calls(it, "_get_pair_counts", [1, 2], [3, 4]), {(3, 4): 1}),
        # What the code adds to the object, here a cache, is not compared with what wrong solutions leave.
        ("an earlier result is returned again", HAS_A_CACHE, learns_between, [256, 256]),
        ("nothing is returned", "def encode(self, text): pass", learns_between, [256, 256]),
        ("the text is lowercased first", LOWER, lambda it: calls(it, "decode", call(it.encode, "The").value), "The"),
        (NOT_IN_DECODE, ADDS_ONE, lambda it: calls(it, "decode", call(it.encode, "The").value), "The"),
        (f"{CHANGED}, in a call before this one. ", EMPTIES, lambda it: calls(it, "decode", *[[72, 105]] * 2), "Hi"),
        ("an integer where a list belongs", ONE, lambda it: calls(it, "encode", *[BPETokenizer()] * 2), [2]),
        # A mistake that another call contradicts, and one that it does not.
        ("", LOSES, lambda it: calls(it, "_merge", ([4, 5, 6], (1, 2), 9), SAME_BUT_3), [3, 4, 5]),
        (NOTHING, COUNTS_NONE, lambda it: calls(it, "_get_pair_counts", [1, 2, 3], [1, 2]), {(1, 2): 1}),
        # What a call left is not what it returned.
        (f"{CHANGED}. It belongs to the caller: read it", CLEARS.format({}), cleared, [1, 2]),
        (f"{CHANGED}. It belongs to the caller: build a new", CLEARS.format([1]), cleared, [1, 2]),
        ("", CLEARS.format(None), lambda it: cleared(it).seen_as(list, "the items"), [7]),
        ("encode changes merges. ", CHANGES, merges_after, {}),
        ("encode changes merges in a case in which it must stay. ", CHANGES, learned_before, {(1, 2): 7}),
        (HIDDEN, "def encode(self, text):\n    merges = {(1, 2): 256}", merges_after, {(1, 2): 256}),
        ("merges is returned, but not set. ", RETURNS, merges_after, {(1, 2): 256}),
        # An entry that is missing is no other structure.
        ("an entry is missing. The dictionary has no key 8.", "def encode(self, text): return {7: 1}", entry_of_8, 1),
        ("what comes back has a different structure", "def encode(self, text): return {'8': 1}", entry_of_8, 1),
        # What the code bears out, and what only an error shows.
        ("tokens are decoded one by one", WITH_A_HELPER, lambda it: calls(it, "decode", [*WAVING.encode()]), WAVING),
        (IN_THE_LOOP, RETURNED_AT_ONCE, lambda it: calls(it, "_get_pair_counts", [1, 2, 3]), {(1, 2): 1, (2, 3): 1}),
        (ARGUMENT, RETURNS_ITS_ARGUMENT, lambda it: calls(it, "_merge", ([5, 1, 2, 7], (1, 2), 99)), [5, 99, 7]),
        ("a list is compared with a number", COMPARES, lambda it: calls(it, "_merge", ([7], (1, 2), 9)), [7]),
        ("", f"{COMPARES}\n    ids = []", lambda it: calls(it, "_merge", ([7], (1, 2), 9)), [7, 7]),
        (NO_PAIRS_LEFT, MAX_OF_NONE, lambda it: calls(it, "train_step", ([1], 256)), None),
    ],
)
def test_the_mistake_of_a_call_is_named_by_what_it_left_and_by_earlier_calls(name, source, made, expected):
    assert_named(name, made(tokenizer_of(source)), expected)


@pytest.mark.parametrize(("keeps", "learns", "found"), [(1, 1, [general.OUTDATED]), (0, 1, []), (1, 0, [])])
def test_only_who_keeps_results_is_told_to_forget_them(keeps, learns, found):
    """The bytes of a text are the same whatever the object has learned. Without learning, an option differs."""
    tokenizer = tokenizer_of(KEEPS if keeps else f"{KEEPS.splitlines()[1]} return list(text.encode())")
    call(tokenizer.encode, "lala", **({} if learns else {"add_special_tokens": True}))
    # No pair of the text.
    tokenizer.merges |= {(1, 2): 256} if learns else {}
    assert [*general.kept_state(call(tokenizer.encode, "lala"))] == found


def counts_once(self, ids, barrier_ids=None):
    return dict.fromkeys(zip(ids, ids[1:]), 1)


def test_other_calls_of_the_run_decide_between_wrong_solutions_that_come_to_the_same():
    tokenizer = tokenizer_with(_get_pair_counts=counts_once)
    call(tokenizer._get_pair_counts, [9, 9], barrier_ids={9})
    one = mistake(call(tokenizer._get_pair_counts, [1, 9, 2], barrier_ids={9}), {})
    assert "the barriers are ignored" in one and "only a pair of two barriers is skipped" not in one


def test_two_mistakes_are_named_one_after_the_other():
    """What explains the second failure gave something else in the first; it is replayed nevertheless."""
    tokenizer = tokenizer_with(_get_pair_counts=counts_once)
    first = mistake(call(tokenizer._get_pair_counts, [1, 9, 2], barrier_ids={9}), {})
    assert first.startswith("the barriers are ignored") and "only a pair of two barriers is skipped" in first
    lines = report(call(tokenizer._get_pair_counts, [1, 9, 2], barrier_ids={9}), {})
    assert not any(line.startswith("You may have thought") for line in lines), lines
    second = call(tokenizer._get_pair_counts, [1, 2, 1, 2, 1, 2])
    assert mistake(second, {(1, 2): 3, (2, 1): 2}).startswith("each pair is counted only once")


@pytest.mark.parametrize("passes", [False, True])
def test_a_mistake_in_a_function_that_the_called_one_calls_is_named_unless_its_tests_pass(passes, history):
    tokenizer = tokenizer_with(_get_pair_counts=counts_once)
    if passes:
        history.begin_test("TestPairCounts")
        history.begin_test("TestTrainStep")
    merges = call(tokenizer.train, "xthethethe", 257, progress=False).attribute("merges")
    assert ("each pair is counted only once" in mistake(merges, {(116, 104): 256})) is not passes


def test_an_error_has_other_causes_than_a_wrong_solution_that_other_calls_contradict(monkeypatch):
    contradicted = matching.Explanation(False, (entry("04", "decode_by_size"),), True)
    monkeypatch.setattr("coach.diagnosis._explained", lambda seen: contradicted)
    seen = call(tokenizer_of("def decode(self, ids): raise ValueError").decode, [72])
    assert_named("the size of the vocabulary decides which IDs exist (or: another cause of the same Val", seen, "H")


def test_a_function_that_never_returns_is_not_called_slow():
    def encode(self, text):
        raise OverLimit("encode", None, 4.0)

    tokenizer, long = tokenizer_with(encode=encode), "a" * (LONG_VALUE + 1)
    names = [call(tokenizer.encode, text).error.failure.report.mistake.name for text in (long, "a", long)]
    assert names == ["encode is too slow for a long argument", "encode never returns", "encode never returns"]


def test_no_thought_is_told_that_other_calls_contradict():
    # Here the largest pair is the first of the least frequent ones too.
    tokenizer = tokenizer_of(MAX_OF_THE_PAIRS)
    lines = report(call(tokenizer.train_step, [5, 1, 2, 1, 2, 7], 256), ([5, 256, 256, 7], (1, 2), 2))
    assert "the pair is not the most frequent one" in lines[4] and not lines[5].startswith("You may have"), lines


def test_of_a_part_that_cannot_be_looked_at_the_report_shows_the_whole():
    trained = call(encode_with("self.merges = 7\nreturn {97: 97}").encode, "x")
    lines = report(trained.seen_as(lambda table: "".join(table.values()), "the text"), "a")
    assert "Came back:  {97: 97}" in lines and "Expected:   the text: 'a'" in lines
    assert not any(line.startswith("Difference") for line in lines), lines
    lines = report(trained.attribute("merges").seen_as(list, "the merges in order"), [(1, 2)])
    assert "Afterwards: tokenizer.merges is 7" in lines, lines
    assert "Expected:   the merges in order: [(1, 2)]" in lines


def test_an_error_with_a_message_of_ones_own_is_recognized_wherever_its_raise_is_written():
    one, other = (
        outcome_of(call(encode_with(code).encode, "x"))
        for code in ("if text:\n    raise ValueError('one')", "if text: raise ValueError('other')")
    )
    assert one.looked_at & other.looked_at


def test_every_section_that_a_general_mistake_points_to_is_in_the_first_pitfalls():
    page = (REPOSITORY / modules()["04"].pitfalls).read_text(encoding="utf-8")
    mistakes = [value for value in vars(general).values() if isinstance(value, Mistake)]
    assert len(mistakes) > 5
    for mistake in mistakes:
        assert not mistake.pitfall or f'id="pitfall-{mistake.pitfall}"' in page, mistake


def test_every_wrong_solution_has_the_code_without_which_its_mistake_is_not_named():
    marked = [entry for module_id in modules() for entry in entries(module_id) if entry.has]
    assert marked and [entry.name for entry in marked if not has_code(entry.written, entry.has)] == []


@pytest.mark.parametrize(
    ("module_id", "name", "code"),
    [
        ("04", "encode_longest_token", "parts = [bytes([byte]) for byte in piece]\nreturn parts[:1]"),
        ("04d", "characters_printable", "for byte in range(256):\n    chr(byte), chr(255)"),
        ("04e", "merge_deletes_the_count_first", "for n in tables.pair_words.pop(pair):\n    old"),
        ("04g", "path_from_the_end", "for edge in edges:\n    if score >= best:\n        pass\nreturn tokens[::-1]"),
        ("05", "heal_the_last", "end = vocab[ids[place]] + end"),
        ("05", "probability_from_one", "factor = 1.0\nreturn factor / self.vocab_size"),
        ("05", "heal_own_seed", "rng = numpy.random.default_rng(seed)"),
    ],
)
def test_a_mistake_that_the_code_does_not_show_is_not_named(module_id, name, code):
    assert not has_code(encode_with(code).encode, entry(module_id, name).has)


def test_code_is_asked_for_patterns_that_it_must_not_have():
    encode = encode_with("for one in text:\n    return one.lower()").encode
    assert has_code(encode, "in a loop: return X; X.lower()") and has_code(encode, "nowhere: self or X.upper()")
    assert not has_code(encode, "in a loop: return X; nowhere: X.lower()")
    assert not has_code(encode, "while X: ...")
    with_helper = "def encode(self, text):\n    {} = 7\n    return seven()\n\ndef seven():\n    return [2 * 4]"
    assert [has_code(tokenizer_of(with_helper.format(one)).encode, "2 * X") for one in ("x", "seven")] == [True, False]
    assert has_code(encode_with("while text:\n    text = text[1:]").encode, "while X: ...; nowhere: if X: ...")


ASSIGNS_NOTHING = """
def encode(self, text):
    while text:
        text.replace("a", "")
"""


PRINTS = ASSIGNS_NOTHING.replace('text.replace("a", "")', "print(text)")


def test_a_loop_without_end_is_explained_by_a_result_that_it_does_not_keep_and_a_slow_one_by_what_it_prints():
    def stopped(source: str, *, is_long: bool) -> Mistake:
        """What is said of a call that was not made."""
        made = replace(Call.none(History(diagnose), Effect()), function=tokenizer_of(source).encode, is_long=is_long)
        return general.over_limit(OverLimit("encode", None, 4.0), made)

    why = "Line 4 does not keep the result of text.replace, so nothing changes."
    assert stopped(ASSIGNS_NOTHING, is_long=False).why == why
    assert stopped(PRINTS, is_long=True).name.startswith("encode prints too much")
    assert stopped(PRINTS.replace("print(text)", "pass"), is_long=True).name.startswith("encode is too slow")


# --- objects of any kind ----------------------------------------------------------------------------------------------


class Embedding:
    def __init__(self):
        self.weight = np.ones((2, 3), dtype=np.float32)
        self.frozen = False

    def look_up(self, ids):
        return self.weight[ids].T


def test_objects_that_the_course_does_not_know_are_described_by_their_attributes():
    lines = report(call(Embedding().look_up, [0, 1]), np.ones((2, 3), dtype=np.float32))
    assert lines[0] == "Called:     embedding.look_up([0, 1])"
    assert lines[1] == "Embedding:  weight array (2, 3) float32, [[1. 1. 1.] [1...., frozen False"
    assert "Difference: the shape is (3, 2), but (2, 3) was expected" in lines


def test_an_error_of_the_diagnosis_costs_a_student_one_line_and_is_raised_where_the_course_is_tested(monkeypatch):
    monkeypatch.setattr("coach.diagnosis.matching.outcome_of", lambda seen: {}["broken"])
    outcome = call(tokenizer_of("def decode(self, ids): return 'x'").decode, [72])
    with pytest.raises(KeyError, match="broken"):
        report(outcome, "H")
    monkeypatch.delenv("G2C_DEBUG")
    assert "Came back:  'x'" in report(outcome, "H")


# --- what it needs ----------------------------------------------------------------------------------------------------

WITHOUT_LIBRARIES = """
import signal, sys
sys.modules |= dict.fromkeys(["numpy", "tokenizers", "hypothesis", "numba", "rich", "psutil", "resource"])
del signal.setitimer
from coach.teaching import call, check, under_limits
from g2c.tokenizer.bpe import BPETokenizer

def _merge(self, ids, pair, new_id):
    pass

_merge.__qualname__ = "BPETokenizer._merge"
BPETokenizer._merge = _merge
try:
    under_limits(lambda: check(call(BPETokenizer()._merge, [3, 4, 5], (1, 2), 9), [3, 4, 5], idea="Copied."))
except AssertionError as failure:
    print(failure)
"""


def test_a_report_needs_the_standard_library_alone_and_no_timer_of_the_system():
    done = subprocess.run([sys.executable, "-c", WITHOUT_LIBRARIES], cwd=REPOSITORY, capture_output=True, text=True)
    assert "Came back:  None\n" in done.stdout, done.stderr
    assert "Mistake:    nothing is returned. " in done.stdout
