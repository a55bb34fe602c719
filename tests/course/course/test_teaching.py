"""What a student sees when a test fails: short, complete and true."""

import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from g2c.common.paths import REPOSITORY
from g2c.course import reference, teaching
from g2c.course.diagnosis.bpe import where_merges_part
from g2c.course.teaching import Mistake, StudentFailure, call, check, check_raises, check_that, same, show
from g2c.solutions.bpe import BPETokenizer


def report(*arguments, **options) -> list[str]:
    """The lines of the report that a check fails with."""
    with pytest.raises(StudentFailure) as failure:
        check(*arguments, idea="The idea.", **options)
    return str(failure.value).splitlines()


def tokenizer_with(**methods) -> BPETokenizer:
    """The answer key with these functions as methods, under the names that they would have in the exercise file."""
    for name, function in methods.items():
        function.__name__, function.__qualname__ = name, f"BPETokenizer.{name}"
    return type("BPETokenizer", (BPETokenizer,), methods)()


# --- the report -------------------------------------------------------------------------------------------------------


def test_a_report_says_what_was_called_with_which_state_what_came_what_was_expected_and_why():
    tokenizer = BPETokenizer(["<|end|>"], "gpt2")
    tokenizer.merges[104, 101] = 257
    tokenizer.vocab[257] = b"he"
    assert report(call(tokenizer.encode, "he"), [1]) == [
        "Called:     tokenizer.encode('he')",
        "Tokenizer:  merges (104,101) 'he' -> 257; 1 special tokens, 256 to 256; pattern gpt2",
        "Came back:  [257]",
        "Expected:   [1]",
        "Idea:       The idea.",
        "Read:       docs/04-tokenizer.md#pitfalls",
    ]


def test_the_state_is_that_before_the_call():
    outcome = call(BPETokenizer().train_step, [1, 2, 1, 2], 256)
    assert report(outcome.attribute("merges"), {})[1:3] == [
        "Tokenizer:  no merges; no special tokens; no pattern",
        "Afterwards: tokenizer.merges is {(1, 2): 256}",
    ]


def test_arguments_are_shown_as_they_were_before_the_call():
    def clears(self, ids, pair, new_id):
        ids.clear()
        return []

    assert report(call(tokenizer_with(_merge=clears)._merge, [1, 2], (1, 2), 9), [9])[0].endswith("([1, 2], (1, 2), 9)")


def test_an_error_is_reported_with_its_place_in_the_exercise_file():
    lines = report(call(BPETokenizer().decode, [999]), "text")
    assert re.fullmatch(
        r"Came back:  ValueError: There is no token with ID 999.*, in decode, g2c/solutions/bpe\.py, line \d+", lines[2]
    )


def test_the_section_named_by_the_test_is_the_one_to_read():
    assert (
        report(call(BPETokenizer().decode, []), "x", pitfall="ties")[-1]
        == "Read:       docs/04-tokenizer.md#pitfall-ties"
    )


def test_a_recognised_mistake_names_itself_and_its_section():
    lines = report(
        call(tokenizer_with(_merge=lambda self, ids, pair, new_id: ids[:-1])._merge, [3, 4], (1, 2), 9), [3, 4]
    )
    assert "Mistake:    the last ID is lost. It has no neighbour, but it has to be copied all the same." in lines
    assert lines[-1] == "Read:       docs/04-tokenizer.md#pitfall-pair-count"


def test_a_report_has_at_most_eight_lines_whatever_comes():
    class Odd:
        def __repr__(self):
            return "odd\n" * 100

    for value in (
        Odd(),
        "x\n" * 5000,
        list(range(10_000)),
        {n: n for n in range(1000)},
        b"\0" * 9999,
        (1, [2] * 999),
        1.5,
    ):
        outcome = call(tokenizer_with(encode=lambda self, text, value=value: value).encode, "text\n" * 400)
        for expected in ([1, 2, 3] * 500, "other" * 99, {"a": "b" * 900}):
            lines = report(outcome, expected)
            assert len(lines) <= 8
            assert all(len(line) < 260 for line in lines)


def test_a_stub_fails_with_its_own_error():
    from g2c.tokenizer.bpe import BPETokenizer as Exercise

    def stub(self, text):
        raise NotImplementedError("TODO: encode")

    with pytest.raises(NotImplementedError):
        call(type("BPETokenizer", (Exercise,), {"encode": stub})().encode, "text")


# --- long values ------------------------------------------------------------------------------------------------------


def test_long_lists_show_where_they_part():
    tokenizer = tokenizer_with(encode=lambda self, text: list(range(500)))
    expected = list(range(500))
    expected[321] = 7
    lines = report(call(tokenizer.encode, "x"), expected)
    assert lines[2].startswith("Came back:  500 items, [0, 1, 2,")
    assert lines[4] == (
        "Difference: at position 321; from 319 on yours is [319, 320, 321, 322, 323, 324], "
        "expected [319, 320, 7, 322, 323, 324]"
    )


def test_a_list_that_ends_too_early_shows_what_is_missing():
    tokenizer = tokenizer_with(encode=lambda self, text: list(range(100)))
    lines = report(call(tokenizer.encode, "x"), list(range(103)))
    assert lines[4] == "Difference: alike up to position 100, where the expected one goes on with [100, 101, 102]"


@pytest.mark.parametrize(
    ("yours", "line"),
    [
        ({n: n for n in range(99)}, "99 is missing; expected 99: 99"),
        ({n: 0 if n == 50 else n for n in range(100)}, "at 50: yours is 0, expected 50"),
        ({n: n for n in range(101)}, "100: 100 should not be there"),
    ],
)
def test_long_dictionaries_show_the_entry_that_differs(yours, line):
    lines = report(call(tokenizer_with(encode=lambda self, text: yours).encode, "x"), {n: n for n in range(100)})
    assert f"Difference: {line}" in lines


def test_the_first_wrong_merge_is_shown_with_both_counts_and_the_rule():
    # The 64th merge of this text has a tie; this tokenizer takes the last of the equals there, and only there.
    class BPETokenizer_(BPETokenizer):
        def train_step(self, ids, new_id):
            counts = self._get_pair_counts(ids)
            best = max(counts.values())
            equal = [pair for pair in counts if counts[pair] == best]
            pair = equal[-1] if new_id == 256 + 63 else equal[0]
            self.merges[pair] = new_id
            self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
            return self._merge(ids, pair, new_id), pair, best

    text = (REPOSITORY / "g2c" / "tokenizer" / "bpe.py").read_text(encoding="utf-8")[:3000]
    expected, _ = reference.train(list(text.encode()), range(256, 330))
    outcome = call(BPETokenizer_().train, text, 330, progress=False)
    lines = report(outcome.attribute("merges"), expected, difference=where_merges_part)
    difference = next(line for line in lines if line.startswith("Difference:"))
    match = re.fullmatch(
        r"Difference: merge 64: yours is \(\d+,\d+\) '.+' seen (\d+) times; "
        r"expected \(\d+,\d+\) '.+' seen (\d+) times: a tie, and the pair seen first wins",
        difference,
    )
    assert match and match[1] == match[2], difference
    assert any(line.startswith("Mistake:    in a tie") for line in lines)


def test_show_keeps_to_about_its_width():
    for value in (list(range(1000)), "x" * 1000, b"x" * 1000, {n: n for n in range(1000)}, ([1] * 1000, (1, 2), 5)):
        assert len(show(value, 80)) < 130
    assert show([1, 2]) == "[1, 2]"


# --- what counts as equal ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        ([np.int64(1), np.int32(2)], [1, 2]),
        (Counter({(1, 2): 3}), {(1, 2): 3}),
        ({(np.int64(1), np.int64(2)): np.int64(3)}, {(1, 2): 3}),
        (([1], (np.int64(1), 2), np.int64(5)), ([1], (1, 2), 5)),
        (type("MyList", (list,), {})([1]), [1]),
    ],
)
def test_equal_whatever_it_was_made_with(actual, expected):
    assert same(actual, expected)


@pytest.mark.parametrize(
    ("actual", "expected"),
    [
        ((1, 2), [1, 2]),
        (np.array([1, 2]), [1, 2]),
        ([1, 2], (1, 2)),
        ([1, 2], [1, 2, 3]),
        ("the", b"the"),
        (None, []),
        ([True], [1]),
        ({1: "th"}, {1: b"th"}),
        (np.array([1, 2]), {}),
    ],
)
def test_not_equal(actual, expected):
    assert not same(actual, expected)


def test_a_wrong_type_is_said_to_be_one():
    lines = report(call(tokenizer_with(encode=lambda self, text: np.array([1, 2])).encode, "x"), [1, 2])
    assert "Difference: the type is ndarray, but list was expected" in lines


# --- the other checks -------------------------------------------------------------------------------------------------


def test_check_raises_wants_the_kind_and_the_words():
    outcome = call(BPETokenizer().decode, [999])
    check_raises(outcome, ValueError, saying="999", idea="…")
    for kind, saying in ((KeyError, ""), (ValueError, "1000")):
        with pytest.raises(StudentFailure, match=kind.__name__):
            check_raises(outcome, kind, saying=saying, idea="…")
    with pytest.raises(StudentFailure, match="Came back:  'H'"):
        check_raises(call(BPETokenizer().decode, [72]), ValueError, idea="…")


def test_check_that_takes_the_expectation_in_words():
    outcome = call(BPETokenizer().encode, "a")
    check_that(True, outcome, "…", idea="…")
    with pytest.raises(StudentFailure, match="Expected:   an even number of IDs"):
        check_that(False, outcome, "an even number of IDs", idea="…")


def test_going_on_with_a_value_that_never_came_is_a_report():
    with pytest.raises(StudentFailure, match="Came back:  ValueError"):
        call(BPETokenizer().decode, [999]).value


def test_a_recogniser_that_stumbles_is_passed_over():
    def stumbles(outcome):
        raise ZeroDivisionError

    def knows(outcome):
        yield Mistake("known", "Because.", "ties")

    lines = report(call(BPETokenizer().encode, "a"), [], diagnose=[stumbles, knows])
    assert "Mistake:    known. Because." in lines


def test_every_section_that_a_mistake_points_to_is_in_the_handout():
    from g2c.course.diagnosis import bpe

    handout = (REPOSITORY / "docs" / "04-tokenizer.md").read_text(encoding="utf-8")
    mistakes = [value for module in (bpe, teaching) for value in vars(module).values() if isinstance(value, Mistake)]
    assert len(mistakes) > 50
    for mistake in mistakes:
        if mistake.pitfall:
            assert f'<a id="pitfall-{mistake.pitfall}"></a>' in handout, mistake


def test_every_section_that_the_suite_points_to_is_in_the_handout():
    handout = (REPOSITORY / "docs" / "04-tokenizer.md").read_text(encoding="utf-8")
    suite = (REPOSITORY / "tests" / "test_tokenizer.py").read_text(encoding="utf-8")
    for pitfall in set(re.findall(r'pitfall="([\w-]+)"', suite)):
        assert f'<a id="pitfall-{pitfall}"></a>' in handout, pitfall


# --- the reference, against the answer key ----------------------------------------------------------------------------


def test_the_reference_agrees_with_the_answer_key():
    text = Path(__file__).read_text(encoding="utf-8")[:4000]
    tokenizer = BPETokenizer(["<|end|>"], "gpt2")
    ids = tokenizer.train(text, 320, progress=False)
    start = BPETokenizer(["<|end|>"], "gpt2")._training_ids(text)
    merges, final = reference.train(start, range(257, 320), {256, -1})
    assert merges == tokenizer.merges
    assert [token_id for token_id in final if token_id >= 0] == ids
    assert reference.encode(tokenizer._pieces(text), merges) == tokenizer.encode(text) == ids
