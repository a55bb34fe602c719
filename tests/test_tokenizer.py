"""Tests of module 04, the byte-level BPE tokenizer. Work through them from top to bottom:

    1. TestConstruction   passes already: the parts that are given
    2. TestPairCounts     write _get_pair_counts
    3. TestMerge          write _merge
    4. TestTrainStep      write train_step
    5. TestTrain          needs the three above
    6. TestEncode         write encode
    7. TestDecode         write decode
    8. TestRoundTrip, TestSpecialTokens, TestPatterns, TestPersistence, TestRust   need all five

One group at a time, stopping at the first failure:

    pytest tests/test_tokenizer.py -x -k TestPairCounts
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach.teaching import call, check, check_raises, check_that, examples
from coach.testing.again import independent_calls
from g2c.common.errors import VocabularyNotReached
from g2c.tokenizer import BOUNDARY, COURSE_SPECIAL_TOKENS, PATTERNS, BPETokenizer

pytestmark = pytest.mark.student("04")

ODD_TEXT = "\ufeff The e\u0301\u00a0\0\r\n"
"""A byte order mark, a space, an accent after its letter, a no-break space, NUL, and a line end of Windows."""

PARAGRAPH = (
    "She sells sea shells on the sea shore; the shells that she sells are sea shells, I am sure. "
    "So if she sells sea shells on the sea shore, then the shells are sea-shore shells for sure. "
)


def with_merges(pairs, special_tokens=(), pattern=None) -> BPETokenizer:
    """A tokenizer that knows these merges, entered by hand: what tests of `encode` and files need, without `train`."""
    tokenizer = BPETokenizer(special_tokens, pattern)
    for new_id, (left, right) in enumerate(pairs, start=tokenizer.base_vocab_size):
        tokenizer.merges[left, right] = new_id
        tokenizer.vocab[new_id] = tokenizer.vocab[left] + tokenizer.vocab[right]
    return tokenizer


def where_merges_part(outcome, expected):
    """For `check(outcome.attribute("merges"), …)` after training: the first merge that differs, and why."""
    tokenizer, vocab = outcome.call.owner, outcome.call.owner.vocab
    mine, right = list(outcome.result.items()), list(expected.items())
    # The ID that a token should have -> the ID that it has.
    own = {}
    for (pair, new_id), (right_pair, right_id) in zip(mine, right):
        if pair != tuple(own.get(token_id, token_id) for token_id in right_pair):
            break
        own[right_id] = new_id
    else:
        if len(mine) < len(right):
            return f"yours has only {len(mine)} of {len(right)} merges"
        if len(mine) == len(right):
            return "the same pairs, but other IDs"
    number = len(own)
    words = [piece for piece in tokenizer._pieces(outcome.call.args[0]) if isinstance(piece, bytes)]
    # As a text whose characters have the IDs as their code points, in which a merge is a replacement.
    texts = ["".join(map(chr, word)) for word in words]
    for (left, right_one), new_id in right[:number]:
        texts = [text.replace(chr(left) + chr(right_one), chr(new_id)) for text in texts]
    pieces = [[own.get(ord(character), ord(character)) for character in text] for text in texts]

    def times(pair):
        return sum(neighbors == pair for ids in pieces for neighbors in zip(ids, ids[1:]))

    def described(pair):
        seen = {0: "never seen", 1: "seen once"}.get(times(pair), f"seen {times(pair)} times")
        known = pair[0] in vocab and pair[1] in vocab
        return f"({pair[0]},{pair[1]}) {repr(vocab[pair[0]] + vocab[pair[1]])[1:] if known else ''} {seen}"

    pair = mine[number][0]
    yours = f"merge {number + 1}: yours is {described(pair)}"
    if number == len(right):
        return f"{yours}; no pair was left"
    best = tuple(own.get(token_id, token_id) for token_id in right[number][0])
    tie = ": a tie, and the pair seen first wins" if times(pair) == times(best) else ""
    return f"{yours}; expected {described(best)}{tie}"


def check_round_trip(tokenizer, text, idea="Tokenization is lossless.", pitfall="token-by-token"):
    """Encode and decode again. If the text does not come back, either of the two may be to blame."""
    encoded = call(tokenizer.encode, text)
    decoded = call(tokenizer.decode, encoded.value).shown_as(f"tokenizer.decode(tokenizer.encode({text!r}))")
    check(decoded, text, idea=idea, pitfall=pitfall)


THE_MERGES = [(116, 104), (256, 101), (257, 32)]
"""What "the the the" teaches: th, the, the_."""


class TestConstruction:
    """The given part. These tests pass before anything is written: they show the state that your methods work on."""

    def test_a_fresh_tokenizer_knows_the_256_bytes_and_no_merges(self):
        assert BPETokenizer().vocab == {byte: bytes([byte]) for byte in range(256)}
        assert BPETokenizer().merges == {}
        assert BPETokenizer().vocab_size == BPETokenizer().base_vocab_size == 256

    def test_the_vocabulary_size_counts_every_token(self):
        assert with_merges(THE_MERGES).vocab_size == 259

    def test_special_tokens_come_right_after_the_bytes_and_before_the_first_merge(self):
        tokenizer = BPETokenizer(["<|end|>", "<|pad|>"])
        assert tokenizer.special_to_id == {"<|end|>": 256, "<|pad|>": 257}
        assert tokenizer.id_to_special == {256: "<|end|>", 257: "<|pad|>"}
        assert tokenizer.vocab[256] == b"<|end|>"
        assert tokenizer.base_vocab_size == 258

    def test_the_course_tokens_take_256_to_263(self):
        tokenizer = BPETokenizer.with_course_special_tokens()
        assert tokenizer.special_tokens == COURSE_SPECIAL_TOKENS
        assert tokenizer.special_token_ids == set(range(256, 264))
        assert tokenizer.base_vocab_size == 264

    def test_two_tokenizers_share_nothing(self):
        one, other = BPETokenizer(), BPETokenizer()
        one.merges[1, 2] = 256
        one.vocab[256] = b"\x01\x02"
        assert other.merges == {} and other.vocab_size == 256

    def test_a_pattern_is_given_by_name_or_as_a_regex(self):
        assert BPETokenizer(pattern="gpt2").pattern == PATTERNS["gpt2"]
        assert BPETokenizer(pattern=r"\w+|\W+").pattern == r"\w+|\W+"
        assert BPETokenizer().pattern is None

    def test_pieces_are_bytes_and_the_ids_of_special_tokens(self):
        assert list(BPETokenizer()._pieces("hé ho")) == [b"h\xc3\xa9 ho"]
        assert list(BPETokenizer(["<|end|>"])._pieces("a<|end|>b")) == [b"a", 256, b"b"]
        assert list(BPETokenizer()._pieces("")) == []

    def test_training_starts_from_their_ids_with_a_boundary_between_two_pieces(self):
        assert BPETokenizer(["<|end|>"])._training_ids("ab<|end|>c") == [97, 98, 256, 99]
        assert BPETokenizer(pattern="gpt2")._training_ids("is it") == [105, 115, BOUNDARY, 32, 105, 116]
        assert BOUNDARY not in BPETokenizer.with_course_special_tokens().vocab

    def test_a_single_string_is_not_a_list_of_special_tokens(self):
        # Python would take it for a list of characters.
        with pytest.raises(TypeError, match="single"):
            BPETokenizer("<|end|>")

    @pytest.mark.parametrize("pattern", ["gpt5", "("], ids=["unknown name", "no regex"])
    def test_unusable_patterns_are_refused(self, pattern):
        with pytest.raises(ValueError, match="pattern"):
            BPETokenizer(pattern=pattern)


class TestPairCounts:
    """`_get_pair_counts`: which IDs are neighbors, and how often."""

    @pytest.mark.core
    def test_four_ids_have_three_pairs(self):
        # A common slip: n IDs have n - 1 pairs, not n.
        check(
            call(BPETokenizer()._get_pair_counts, [1, 2, 3, 4]),
            {(1, 2): 1, (2, 3): 1, (3, 4): 1},
            idea="Four IDs in a row have three pairs of neighbors.",
            pitfall="pair-count",
        )

    @pytest.mark.core
    def test_a_pair_that_comes_again_is_added_up(self):
        check(
            call(BPETokenizer()._get_pair_counts, [1, 2, 3, 1, 2, 4]),
            {(1, 2): 2, (2, 3): 1, (3, 1): 1, (2, 4): 1},
            idea="The pair (1, 2) occurs at two places, so its count is 2.",
            pitfall="pair-count",
        )

    def test_no_ids_have_no_pair(self):
        check(call(BPETokenizer()._get_pair_counts, []), {}, idea="Without IDs there is no pair.", pitfall="pair-count")

    def test_pairs_that_overlap_all_count(self):
        # Counting and merging differ here: three equal IDs are two pairs of neighbors, though only one can be merged.
        check(
            call(BPETokenizer()._get_pair_counts, [1, 1, 1, 2, 3]),
            {(1, 1): 2, (1, 2): 1, (2, 3): 1},
            idea="First and second are neighbors, second and third are neighbors: two pairs (1, 1).",
            pitfall="overlap",
        )

    def test_0_is_an_id_like_any_other(self):
        check(
            call(BPETokenizer()._get_pair_counts, [0, 0, 1, 0]),
            {(0, 0): 1, (0, 1): 1, (1, 0): 1},
            idea="0 is the byte of value 0.",
            pitfall="pair-count",
        )

    def test_the_pairs_are_in_order_of_first_appearance(self):
        # train_step gives ties to the pair seen first, and reads off the dictionary which that was.
        outcome = call(BPETokenizer()._get_pair_counts, [5, 9, 5, 2, 9, 5])
        check(
            outcome.seen_as(list, "the order of the keys"),
            [(5, 9), (9, 5), (5, 2), (2, 9)],
            idea="A dictionary keeps the order in which its keys came: from left to right.",
            pitfall="ties",
        )

    def test_no_pair_has_a_barrier_in_it(self):
        # A barrier may be the left half of a pair or the right one.
        check(
            call(BPETokenizer()._get_pair_counts, [1, 2, 9, 9, 3, 4, 5, 9, 6, 79], barrier_ids={9}),
            {(1, 2): 1, (3, 4): 1, (4, 5): 1, (6, 79): 1},
            idea="9 is a special token: no pair may contain it, and none may reach across it.",
            pitfall="barriers",
        )

    def test_a_barrier_may_be_the_first_id_and_the_last(self):
        check(
            call(BPETokenizer()._get_pair_counts, [9, 1, 2, 9], barrier_ids={9}),
            {(1, 2): 1},
            idea="The ID of a special token is not part of any pair.",
            pitfall="barriers",
        )

    def test_several_barriers_in_any_collection(self):
        check(
            call(BPETokenizer()._get_pair_counts, [5, 6, 0, 5, 6, 8, 8, 5, 6, 9], barrier_ids=[0, 8]),
            {(5, 6): 3, (6, 9): 1},
            idea="0 and 8 are barriers, and no other ID is: 5 and 6 are between the two, 9 is above them.",
            pitfall="barriers",
        )

    def test_none_means_no_barriers_although_there_are_special_tokens(self):
        check(
            call(BPETokenizer(["<|end|>"])._get_pair_counts, [1, 256, 2, BOUNDARY], barrier_ids=None),
            {(1, 256): 1, (256, 2): 1, (2, BOUNDARY): 1},
            idea="The caller decides which IDs are barriers: train_step names the special tokens and BOUNDARY itself.",
            pitfall="barriers",
        )

    def test_counts_are_whole_numbers(self):
        outcome = call(BPETokenizer()._get_pair_counts, [1, 2, 1, 2])
        check(
            outcome.seen_as(
                lambda counts: [n for n in counts.values() if isinstance(n, float)], "counts of type float"
            ),
            [],
            idea="How often something occurs is an int: 2, not 2.0.",
            pitfall="pair-count",
        )

    def test_a_long_list_takes_no_long_time(self):
        # A loop in a loop looks at 30,000 * 30,000 pairs, a list of the pairs seen so far is searched 30,000 times, and
        # a method that calls itself gets 1,000 calls deep.
        ids = [number % 29_989 for number in range(30_000)]
        outcome = call(BPETokenizer()._get_pair_counts, ids)
        check(
            outcome.seen_as(lambda counts: counts[0, 1], "the count of (0, 1)"),
            2,
            idea="A corpus has thousands of IDs: look at each pair of neighbors once.",
            pitfall="slow",
        )

    @examples
    @given(ids=st.lists(st.integers(0, 5), max_size=30))
    def test_the_counts_add_up_to_one_less_than_the_ids(self, ids):
        pairs = max(len(ids) - 1, 0)
        outcome = call(BPETokenizer()._get_pair_counts, ids)
        check(
            outcome.seen_as(lambda counts: sum(counts.values()), "the sum of the counts"),
            pairs,
            idea="Every ID but the last begins exactly one pair.",
            pitfall="pair-count",
        )

    def test_calls_are_independent(self):
        with independent_calls("_get_pair_counts", with_merges([(1, 2)], ["<|end|>"])) as counts:
            counts([1, 2, 9, 1, 2], barrier_ids={9}, gives={(1, 2): 2})
            counts([1, 2, 9, 1, 3], gives={(1, 2): 1, (2, 9): 1, (9, 1): 1, (1, 3): 1})
            counts([1, 2, 9, 1, 2], barrier_ids={2}, gives={(9, 1): 1})


class TestMerge:
    """`_merge`: replace a pair everywhere, from left to right."""

    @pytest.mark.core
    def test_every_occurrence_is_replaced(self):
        check(
            call(BPETokenizer()._merge, [5, 1, 2, 7, 1, 2], (1, 2), 99),
            [5, 99, 7, 99],
            idea="Where 1 is followed by 2, the two become 99; everything else is copied.",
            pitfall="overlap",
            mistake="merge_first_only",
        )

    def test_the_last_id_is_kept(self):
        check(
            call(BPETokenizer()._merge, [1, 2, 3], (1, 2), 99),
            [99, 3],
            idea="The last ID has no neighbor, but it belongs to the text.",
            pitfall="pair-count",
            mistake="merge_loses_the_last",
        )
        check(
            call(BPETokenizer()._merge, [1, 2, 4, 5, 2], (1, 2), 99),
            [99, 4, 5, 2],
            idea="A last ID that is the right half of the pair belongs to the text like any other.",
            pitfall="pair-count",
        )

    def test_a_last_id_that_begins_the_pair_is_kept(self):
        # [..., 1] with the pair (1, 0): the 1 matches, and there is nothing after it to compare, not even a 0.
        check(
            call(BPETokenizer()._merge, [1, 0, 1], (1, 0), 99),
            [99, 1],
            idea="A 1 without a 0 after it is not the pair.",
            pitfall="pair-count",
        )

    def test_a_pair_at_the_very_end(self):
        check(
            call(BPETokenizer()._merge, [3, 2, 3, 1, 2], (1, 2), 99),
            [3, 2, 3, 99],
            idea="The pair may be the last two IDs.",
            pitfall="pair-count",
        )

    def test_matches_next_to_each_other(self):
        check(
            call(BPETokenizer()._merge, [1, 2, 1, 2, BOUNDARY, 2], (1, 2), 99),
            [99, 99, BOUNDARY, 2],
            idea="The next match may follow directly. BOUNDARY, which is -1, is copied like any other ID.",
            pitfall="overlap",
        )

    def test_the_order_within_the_pair_counts(self):
        check(
            call(BPETokenizer()._merge, [2, 1, 3, 1, 2], (1, 2), 99),
            [2, 1, 3, 99],
            idea="2 followed by 1 is another pair.",
            pitfall="byte-order",
        )

    def test_three_in_a_row_are_one_pair_and_a_rest(self):
        # The overlap trap: the middle 1 cannot be in two pairs.
        check(
            call(BPETokenizer()._merge, [1, 1, 1], (1, 1), 99),
            [99, 1],
            idea="Each ID can be merged only once; from left to right, that is the first two.",
            pitfall="overlap",
            mistake="merge_with_a_mask",
        )

    @pytest.mark.parametrize(
        ("length", "expected"),
        [(2, [99]), (4, [99, 99]), (5, [99, 99, 1]), (6, [99, 99, 99])],
        ids=["two", "four", "five", "six"],
    )
    def test_runs_of_one_id(self, length, expected):
        check(
            call(BPETokenizer()._merge, [1] * length, (1, 1), 99),
            expected,
            idea=f"{length} equal IDs make {length // 2} pairs that share no ID.",
            pitfall="overlap",
        )

    @pytest.mark.core
    def test_ids_are_compared_as_numbers(self):
        check(
            call(BPETokenizer()._merge, [11, 2, 1, 22, 1, 2], (1, 2), 99),
            [11, 2, 1, 22, 99],
            idea="11 and 2 are not 1 and 2, even if their digits look alike.",
            pitfall="str-for-bytes",
        )

    def test_ids_are_compared_by_value(self):
        # The numbers are made anew here, so that equal ones are not one object.
        ids = [5000 + number for number in (5, 1, 2, 1, 2)]
        check(
            call(BPETokenizer()._merge, ids, (int("5001"), int("5002")), 6000),
            [5005, 6000, 6000],
            idea="Large IDs that are equal can be two different objects in memory.",
            pitfall="overlap",
        )

    def test_a_long_list_takes_no_long_time(self):
        ids = [number % 2 for number in range(30_000)]
        outcome = call(BPETokenizer()._merge, ids, (0, 1), 256)
        check(
            outcome.seen_as(len, "the length of the result"),
            15_000,
            idea="A corpus has thousands of IDs: go through them once, from left to right.",
            pitfall="slow",
        )

    def test_calls_are_independent(self):
        with independent_calls("_merge", with_merges([(1, 2)])) as merge:
            merge([1, 2, 1, 2], (1, 2), 99, gives=[99, 99])
            merge([3, 1, 2, 1], (1, 2), 99, gives=[3, 99, 1])
            merge([1, 2, 1, 2], (2, 1), 99, gives=[1, 99, 2])

    def test_the_result_is_a_new_list_even_when_nothing_changes(self):
        ids = [3, 4, 5]
        outcome = call(BPETokenizer()._merge, ids, (1, 2), 99)
        check_that(
            outcome.value is not ids,
            outcome,
            "a new list, not the very list that was passed",
            idea="Changing the result must not change the argument.",
            pitfall="mutated-argument",
            mistake="merge_returns_the_same_list",
        )

    @examples
    @given(ids=st.lists(st.integers(0, 3), max_size=30))
    def test_putting_the_pair_back_gives_the_ids_back(self, ids):
        outcome = call(BPETokenizer()._merge, list(ids), (1, 0), 99)
        check(
            outcome.seen_as(
                lambda merged: [part for token_id in merged for part in ((1, 0) if token_id == 99 else (token_id,))],
                "the result with every 99 written out as 1, 0",
            ),
            ids,
            idea="Merging is lossless: each new ID stands for its pair.",
            pitfall="pair-count",
        )


class TestTrainStep:
    """`train_step`: learn one merge."""

    THE = (116, 104, 101, 32, 116, 104)  # "the th"

    @pytest.mark.core
    def test_the_most_frequent_pair_is_merged(self):
        check(
            call(BPETokenizer().train_step, [0, 1, 2, 1, 2, 7], 256),
            ([0, 256, 256, 7], (1, 2), 2),
            idea="(1, 2) occurs twice, every other pair once.",
            pitfall="pair-count",
        )

    def test_a_pair_seen_once_is_still_a_pair(self):
        check(
            call(BPETokenizer().train_step, [1, 2], 256),
            ([256], (1, 2), 1),
            idea="Training continues as long as there is a pair.",
            pitfall="small-corpus",
        )

    @pytest.mark.parametrize(
        ("ids", "pair"),
        [
            ([5, 6, 0, 1, 2, 3], (5, 6)),
            ([1, 2, 8, 9, 3, 4], (1, 2)),
            ([7, 7, 0, 5, 6, 0, 7, 7, 0, 5, 6], (7, 7)),
        ],
        ids=["the first is neither lowest nor last", "the first is the lowest", "two that are seen twice"],
    )
    def test_in_a_tie_the_pair_seen_first_wins(self, ids, pair):
        # So every student, on every machine, gets the same tokenizer from the same text.
        outcome = call(BPETokenizer().train_step, ids, 256)
        check(
            outcome.seen_as(lambda result: result[1], "the chosen pair"),
            pair,
            idea="Among equally frequent pairs the one seen first wins.",
            pitfall="ties",
        )

    def test_in_a_tie_the_length_does_not_count(self):
        outcome = call(with_merges([(97, 98)]).train_step, [120, 121, 256, 99, 122], 257)
        check(
            outcome.seen_as(lambda result: result[1], "the chosen pair"),
            (120, 121),
            idea="All pairs are seen once, and x,y comes first; that other pairs make longer tokens does not matter.",
            pitfall="ties",
        )

    @pytest.mark.core
    def test_the_merge_is_entered_in_merges(self):
        outcome = call(BPETokenizer().train_step, list(self.THE), 256)
        check(
            outcome.attribute("merges"),
            {(116, 104): 256},
            idea="encode will look the pair up there.",
            pitfall="replaced-dictionaries",
        )

    def test_the_new_token_is_entered_in_vocab(self):
        outcome = call(BPETokenizer().train_step, list(self.THE), 256)
        check(
            outcome.attribute("vocab"),
            BPETokenizer().vocab | {256: b"th"},
            idea="decode will look the bytes up there: those of 116, then those of 104.",
            pitfall="byte-order",
        )
        outcome = call(BPETokenizer().train_step, [108, 108, 108], 256)
        check(
            outcome.attribute("vocab"),
            BPETokenizer().vocab | {256: b"ll"},
            idea="A pair of equal IDs has the bytes twice.",
            pitfall="byte-order",
        )

    def test_earlier_merges_stay(self):
        tokenizer = with_merges([(200, 201)])
        outcome = call(tokenizer.train_step, list(self.THE), 257)
        merges = outcome.attribute("merges")
        idea = "Each step adds one entry to what was learned before, at the end."
        check(merges, {(200, 201): 256, (116, 104): 257}, idea=idea, pitfall="replaced-dictionaries")
        check(merges.seen_as(list, "the pairs in order"), [(200, 201), (116, 104)], idea=idea)

    def test_a_token_made_of_tokens_has_the_bytes_of_both(self):
        outcome = call(with_merges([(116, 104)]).train_step, [256, 101, 32, 256, 101], 257)
        check(
            outcome.attribute("vocab"),
            BPETokenizer().vocab | {256: b"th", 257: b"the"},
            idea="256 stands for two bytes, 101 for one: together they are three.",
            pitfall="byte-order",
        )

    def test_a_token_may_be_half_a_character(self):
        # Two of the four bytes of an emoji are not text, so no str can hold this token.
        outcome = call(BPETokenizer().train_step, list("👋👋".encode()), 256)
        check(
            outcome.attribute("vocab"),
            BPETokenizer().vocab | {256: b"\xf0\x9f"},
            idea="vocab contains bytes; only decode turns them into text.",
            pitfall="str-for-bytes",
        )

    @pytest.mark.parametrize("new_id", [264, 1000])
    def test_the_new_id_is_used_as_given(self, new_id):
        # With the course's eight special tokens the first merge is 264, not 256.
        tokenizer = BPETokenizer.with_course_special_tokens()
        outcome = call(tokenizer.train_step, list(self.THE), new_id)
        check(
            outcome,
            ([new_id, 101, 32, new_id], (116, 104), 2),
            idea="The caller knows which ID is free.",
            pitfall="id-offset",
        )
        check(
            outcome.attribute("vocab"),
            BPETokenizer.with_course_special_tokens().vocab | {new_id: b"th"},
            idea="The caller knows which ID is free.",
            pitfall="id-offset",
        )
        check(
            outcome.attribute("merges"),
            {(116, 104): new_id},
            idea="IDs 256 to 263 are the special tokens.",
            pitfall="id-offset",
        )

    def test_two_pairs_can_make_the_same_bytes(self):
        tokenizer = BPETokenizer()
        tokenizer.merges = {(97, 98): 256, (256, 99): 257, (98, 99): 258}
        tokenizer.vocab |= {256: b"ab", 257: b"abc", 258: b"bc"}
        check(
            call(tokenizer.train_step, [97, 258, 97, 258, 120], 259),
            ([259, 259, 120], (97, 258), 2),
            idea="The count alone decides: ab + c and a + bc are two pairs, although they make the same bytes.",
            pitfall="ties",
        )

    def test_three_in_a_row_are_counted_twice_and_merged_once(self):
        check(
            call(BPETokenizer().train_step, [1, 1, 1], 256),
            ([256, 1], (1, 1), 2),
            idea="The count comes from _get_pair_counts, before merging.",
            pitfall="overlap",
        )

    def test_the_count_decides_and_not_the_number_of_replacements(self):
        # Each of the two can be replaced twice.
        check(
            call(BPETokenizer().train_step, [5, 6, 0, 5, 6, 1, 1, 1, 1], 256),
            ([5, 6, 0, 5, 6, 256, 256], (1, 1), 3),
            idea="(1, 1) counts 3 and (5, 6) counts 2.",
            pitfall="overlap",
        )

    @pytest.mark.core
    def test_special_tokens_are_never_merged(self):
        # <|end|> is between "a" and "a" three times: the most frequent neighbors, were it not a barrier.
        tokenizer = BPETokenizer(["<|end|>"])
        check(
            call(tokenizer.train_step, [97, 256, 97, 256, 97, 256, 98, 99], 257),
            ([97, 256, 97, 256, 97, 256, 257], (98, 99), 1),
            idea="A special token has one ID from the start and is part of no other token.",
            pitfall="barriers",
        )

    @pytest.mark.core
    def test_nothing_is_merged_across_a_boundary(self):
        outcome = call(BPETokenizer().train_step, [97, BOUNDARY, 97, BOUNDARY, 97, BOUNDARY, 98, 99], 256)
        check(
            outcome,
            ([97, BOUNDARY, 97, BOUNDARY, 97, BOUNDARY, 256], (98, 99), 1),
            idea="BOUNDARY separates two pieces of text; no token reaches from one into the next.",
            pitfall="barriers",
        )
        check(outcome.attribute("special_token_ids"), frozenset(), idea="BOUNDARY is a barrier, but not a token's ID.")
        check(
            call(BPETokenizer(["<|end|>"]).train_step, [97, BOUNDARY, 97, BOUNDARY, 97, 98], 257),
            ([97, BOUNDARY, 97, BOUNDARY, 257], (97, 98), 1),
            idea="BOUNDARY is a barrier whether the tokenizer has special tokens or not.",
            pitfall="barriers",
        )

    def test_special_tokens_can_have_any_ids(self):
        tokenizer = BPETokenizer({"<|end|>": 256, "<|pad|>": 1000})
        ids = [97, 256, 97, 256, 97, 1000, 97, 1000, 98, 99]
        check(
            call(tokenizer.train_step, ids, 257),
            ([97, 256, 97, 256, 97, 1000, 97, 1000, 257], (98, 99), 1),
            idea="self.special_token_ids has the IDs of all special tokens; they need not follow one another.",
            pitfall="barriers",
        )

    @pytest.mark.parametrize("ids", [[], [5], [BOUNDARY], [1, BOUNDARY, 2]], ids=["none", "one", "boundary", "between"])
    def test_none_when_no_pair_is_left(self, ids):
        outcome = call(BPETokenizer().train_step, ids, 256)
        check(outcome, None, idea="train stops when it gets None.", pitfall="small-corpus")
        check(outcome.attribute("merges"), {}, idea="There was nothing to merge.", pitfall="small-corpus")

    def test_calls_are_independent(self):
        # With the first tokenizer both kinds of barriers stand in one list. With the second one 256 is any token.
        both = with_merges([], ["<|end|>"]), with_merges([(3, 4)])
        with independent_calls("train_step", *both, changes=("merges", "vocab")) as step:
            step(
                [7, 256, 7, BOUNDARY, 8, 9],
                257,
                gives=([7, 256, 7, BOUNDARY, 257], (8, 9), 1),
                then=([257, 7, BOUNDARY, 8, 9], (7, 256), 1),
            )
            step([1, 2, 1, 2, 1, 3], 257, gives=([257, 257, 1, 3], (1, 2), 2), then=([257, 257, 1, 3], (1, 2), 2))


class TestTrain:
    """`train` is given and calls your `train_step`: the whole of training."""

    def test_the_the_the(self):
        tokenizer = BPETokenizer()
        outcome = call(tokenizer.train, "the the the", 259, progress=False)
        check(
            outcome.attribute("merges"),
            {(116, 104): 256, (256, 101): 257, (257, 32): 258},
            idea="th, then the, then the with its space.",
            difference=where_merges_part,
        )

    def test_merges_of_a_longer_text(self):
        # Fifty merges with many ties: one wrong choice anywhere shows.
        tokenizer = BPETokenizer()
        exact = BPETokenizer()
        exact.train_exact(PARAGRAPH, 306)
        outcome = call(tokenizer.train, PARAGRAPH, 306, progress=False)
        check(
            outcome.attribute("merges"),
            exact.merges,
            idea="Every step takes the most frequent pair, and in a tie the one seen first.",
            pitfall="ties",
            difference=where_merges_part,
        )

    def test_training_again_forgets_what_was_learned(self):
        tokenizer = BPETokenizer()
        call(tokenizer.train, "abababab", 258, progress=False).value
        outcome = call(tokenizer.train, "the the the", 259, progress=False)
        check(
            outcome.attribute("merges"),
            {(116, 104): 256, (256, 101): 257, (257, 32): 258},
            idea="train starts from the bytes, no matter what was learned before.",
            difference=where_merges_part,
        )

    def test_a_corpus_too_small_for_the_vocabulary(self, recwarn):
        outcome = call(BPETokenizer().train, "abab", 300, progress=False)
        check(
            outcome.attribute("merges"),
            {(97, 98): 256, (256, 256): 257},
            idea="After two merges the text is one single token: no pair is left, and training ends there.",
            pitfall="small-corpus",
            difference=where_merges_part,
        )
        assert [warning.category for warning in recwarn] == [VocabularyNotReached]

    def test_with_course_tokens_the_first_merge_is_264(self):
        tokenizer = BPETokenizer.with_course_special_tokens()
        outcome = call(tokenizer.train, "the the the", 267, progress=False)
        check(
            outcome.attribute("merges"),
            {(116, 104): 264, (264, 101): 265, (265, 32): 266},
            idea="256 to 263 are taken by the special tokens.",
            pitfall="id-offset",
            difference=where_merges_part,
        )

    def test_a_run_of_one_character(self):
        tokenizer = BPETokenizer()
        outcome = call(tokenizer.train, "a" * 11, 258, progress=False)
        check(
            outcome,
            [257, 257, 256, 97],
            idea="aa, then aaaa: eleven letters become two tokens of four letters, one of two, and one of one.",
            pitfall="overlap",
        )

    @pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")
    @pytest.mark.parametrize("text", ["", "a"], ids=["empty", "one byte"])
    def test_a_corpus_without_any_pair(self, text):
        outcome = call(BPETokenizer().train, text, 300, progress=False)
        check(outcome, list(text.encode()), idea="There is nothing to merge.", pitfall="small-corpus")


class TestEncode:
    """`encode`: the merges that were learned, applied to a text."""

    @pytest.mark.parametrize("text", ["abc", "naïve", "你好", "👋"], ids=["ASCII", "accent", "Chinese", "emoji"])
    def test_without_merges_every_byte_is_a_token(self, text):
        check(
            call(BPETokenizer().encode, text),
            list(text.encode("utf-8")),
            idea="Without merges, the IDs are the bytes of the text in UTF-8, in one list.",
            pitfall="str-for-bytes",
        )

    def test_a_chat_message(self):
        tokenizer = BPETokenizer.with_course_special_tokens()
        check(
            call(tokenizer.encode, "<|user|>\nHello<|end|>"),
            [258, 10, 72, 101, 108, 108, 111, 262],
            idea="<|user|> is the third of the course's tokens, 258; <|end|> is the seventh, 262.",
            pitfall="special-tokens",
            mistake="encode_skips_special",
        )

    @pytest.mark.core
    def test_one_merge(self):
        check(
            call(with_merges([(116, 104)]).encode, "this path"),
            [256, 105, 115, 32, 112, 97, 256],
            idea="Every 'th' becomes 256.",
            pitfall="merge-order",
            mistake="encode_without_merges",
        )

    def test_text_is_taken_as_it_is(self):
        check(
            call(BPETokenizer().encode, ODD_TEXT),
            list(ODD_TEXT.encode()),
            idea="Capitals, whitespace, accents and invisible characters are all part of the text.",
            pitfall="changed-text",
        )
        check(
            call(BPETokenizer().encode, " \n"),
            [32, 10],
            idea="A text of whitespace alone is a text, too.",
            pitfall="changed-text",
        )

    def test_what_has_been_learned_since_is_used(self):
        tokenizer = BPETokenizer()
        call(tokenizer.encode, "lalala").value
        tokenizer.merges[108, 97] = 256
        tokenizer.vocab[256] = b"la"
        check(
            call(tokenizer.encode, "lalala"),
            [256, 256, 256],
            idea="Between two calls a tokenizer can learn more, and another tokenizer has other merges.",
            pitfall="merge-order",
        )

    @pytest.mark.core
    def test_the_highest_id_does_not_go_first(self):
        neighbors = with_merges([(97, 98), (98, 99), (99, 100)])
        check(
            call(neighbors.encode, "bcd"),
            [257, 100],
            idea="The pair with the lowest new ID goes first: b,c is 257, c,d is 258.",
            pitfall="merge-order",
            mistake="encode_highest_first",
        )
        check(
            call(neighbors.encode, "abc"),
            [256, 99],
            idea="a,b is the merge learned first, so nothing goes before it.",
            pitfall="merge-order",
            mistake="encode_rank_zero_is_false",
        )
        check(
            call(with_merges([(98, 97), (97, 99), (99, 100)]).encode, "bacd"),
            [256, 258],
            idea="b,a was learned before a,c and takes the a; which of the pairs has the lower bytes does not matter.",
            pitfall="merge-order",
            mistake="encode_smallest_pair",
        )
        check(
            call(with_merges([(116, 104), (104, 101)]).encode, "the"),
            [256, 101],
            idea="The pair with the lowest new ID goes first: t,h is 256, h,e is 257.",
            pitfall="merge-order",
            mistake="encode_highest_first",
        )

    def test_the_longest_token_does_not_go_first(self):
        # 'abc' is a token, but a,b was learned before the b,c that it is made with, and takes the b away.
        merges = [(97, 98), (98, 99), (97, 257)]
        check(
            call(with_merges(merges).encode, "abcd"),
            [256, 99, 100],
            idea="encode repeats the merges in the order learned; it does not search for long tokens.",
            pitfall="merge-order",
            mistake="encode_longest_token",
        )
        check(
            call(with_merges(merges).encode, "abc"),
            [256, 99],
            idea="The whole text is a token, but the merges lead elsewhere.",
            pitfall="merge-order",
            mistake="encode_whole_piece_looked_up",
        )

    @pytest.mark.core
    def test_a_chain_of_merges(self):
        # Each merge is built on the one before: one walk over the text is not enough.
        check(
            call(with_merges(THE_MERGES).encode, "the the the"),
            [258, 258, 257],
            idea="th, then the, then the with its space; the last one has no space after it.",
            pitfall="merge-order",
        )

    @pytest.mark.core
    def test_what_was_learned_first_goes_first(self):
        # In "the" both pairs are known. From left to right t,h would go first; but h,e was learned first.
        merges = [(104, 101), (116, 104)]
        check(
            call(with_merges(merges).encode, "the he"),
            [116, 256, 32, 256],
            idea="The pair with the lowest new ID goes first, no matter where it is.",
            pitfall="merge-order",
            mistake="encode_text_order",
        )
        check(
            call(with_merges(merges).encode, "the th"),
            [116, 256, 32, 257],
            idea="The pair with the lowest new ID goes first, no matter how often it occurs.",
            pitfall="merge-order",
            mistake="encode_most_frequent",
        )

    def test_the_id_decides_and_not_the_place_in_merges(self):
        # A table that was read from a file need not be in the order of its IDs.
        tokenizer = BPETokenizer()
        tokenizer.merges = {(116, 104): 257, (104, 101): 256}
        tokenizer.vocab |= {256: b"he", 257: b"th"}
        check(
            call(tokenizer.encode, "the"),
            [116, 256],
            idea="he has the lower ID, so it was learned first, although th comes first in merges.",
            pitfall="merge-order",
        )

    @pytest.mark.parametrize(
        ("text", "expected"), [("aaa", [256, 97]), ("aaaa", [257]), ("aaaaa", [257, 97])], ids=["aaa", "aaaa", "aaaaa"]
    )
    def test_runs_of_one_character(self, text, expected):
        check(
            call(with_merges([(97, 97), (256, 256)]).encode, text),
            expected,
            idea="From left to right, and no ID is used twice.",
            pitfall="overlap",
        )

    def test_merges_stop_at_a_special_token(self):
        tokenizer = with_merges([(97, 98)], {"<|end|>": 1000})
        check(
            call(tokenizer.encode, "a<|end|>b<|end|><|end|>ab"),
            [97, 1000, 98, 1000, 1000, 257],
            idea="a and b are not neighbors while a special token is between them.",
            pitfall="barriers",
        )

    def test_what_a_stranger_typed_still_goes_through_the_merges(self):
        tokenizer = with_merges([(60, 124), (124, 62)], ["<|end|>"])
        check(
            call(tokenizer.encode_ordinary, "<|end|>"),
            [257, 101, 110, 100, 258],
            idea="encode_ordinary treats the text as plain characters, which are merged.",
            pitfall="special-tokens",
        )

    def test_merges_stay_within_pieces(self):
        tokenizer = with_merges([(101, 32), (98, 101)], pattern="gpt2")
        check(
            call(tokenizer.encode, "e be be"),
            [101, 32, 257, 32, 257],
            idea="The pieces are 'e' and twice ' be'; in none of them is e followed by a space.",
            pitfall="barriers",
        )

    def test_a_finished_id_need_not_be_a_special_token(self):
        # Tokenizers that module 04d loads have words that no merge makes.
        tokenizer = with_merges([(97, 98)])
        tokenizer.whole_pieces = {b"word": 300}
        check(
            call(tokenizer.encode, "word"),
            [300],
            idea="No merge makes this word: self._pieces yields its finished ID, 300. Append every int that comes.",
            pitfall="special-tokens",
        )

    @pytest.mark.core
    def test_merges_within_a_character(self):
        # The four bytes of an emoji are merged like any others.
        check(
            call(with_merges([(240, 159), (256, 145)]).encode, "👋👍"),
            [257, 139, 257, 141],
            idea="BPE works on bytes and knows nothing of characters.",
            pitfall="str-for-bytes",
        )

    def test_many_merges_in_one_piece(self):
        # A method that calls itself for each replacement would get too many calls deep.
        outcome = call(with_merges([(97, 98)]).encode, "ab" * 1500)
        check(
            outcome.seen_as(len, "the number of tokens"), 1500, idea="Every 'ab' becomes 256.", pitfall="endless-encode"
        )

    @pytest.mark.in_process
    def test_every_call_returns_a_list_of_its_own(self):
        tokenizer = with_merges(THE_MERGES)
        call(tokenizer.encode, "the the").value.append(0)
        check(
            call(tokenizer.encode, "the the"),
            [258, 257],
            idea="The caller of the first call added a 0 to its list; this call's list must not have it.",
            pitfall="mutated-argument",
            mistake="encode_gives_its_own_list",
        )

    @pytest.mark.parametrize(
        ("text", "error", "saying"),
        # A lone surrogate is half a character: Python can hold it in a str, but UTF-8 has no bytes for it.
        [(b"abc", TypeError, "str"), ("a\ud83db", ValueError, "surrogate")],
        ids=["bytes", "half a character"],
    )
    def test_what_is_not_text_is_refused(self, text, error, saying):
        check_raises(
            call(BPETokenizer().encode, text),
            error,
            saying=saying,
            idea="self._pieces checks the text and raises this error; go through it before anything else.",
            pitfall="str-for-bytes",
        )

    @examples
    @given(text=st.text("abc", max_size=20))
    def test_every_text_over_three_letters(self, text):
        tokenizer = with_merges([(98, 99), (97, 98), (257, 257), (99, 97), (256, 97), (97, 97)])
        check(
            call(tokenizer.encode, text),
            tokenizer.encode_fast(text),
            idea="Each time, the pair that was learned first is merged.",
            pitfall="merge-order",
        )

    def test_a_piece_that_takes_a_thousand_merges(self):
        # A method that calls itself after each merge gets more than 1,000 calls deep; no number of rounds is enough.
        tokenizer = with_merges([(97, 98), *((new_id, 98) for new_id in range(256, 1305))])
        check(
            call(tokenizer.encode, "a" + "b" * 1050),
            [1305],
            idea="Each merge makes room for the next one: a loop continues as long as there is one.",
            pitfall="slow",
        )

    def test_calls_are_independent(self):
        with independent_calls("encode", with_merges([(97, 98)]), with_merges([(98, 97)])) as encode:
            encode("abab", gives=[256, 256], then=[97, 256, 98])
            encode("baba", gives=[98, 256, 97], then=[256, 256])


class TestDecode:
    """`decode`: from IDs back to text."""

    def test_bytes_become_text(self):
        check(
            call(BPETokenizer().decode, [72, 105]),
            "Hi",
            idea="72 is the byte for H, and 105 the byte for i.",
            pitfall="str-for-bytes",
        )

    def test_no_ids_are_the_empty_text(self):
        check(call(BPETokenizer().decode, []), "", idea="Nothing joined is the empty str.", pitfall="str-for-bytes")

    @pytest.mark.core
    def test_learned_tokens(self):
        check(
            call(with_merges(THE_MERGES).decode, [258, 257, 109, 101]),
            "the theme",
            idea="vocab has the bytes of every token.",
        )

    @pytest.mark.core
    def test_a_character_spread_over_tokens(self):
        # 👋 is four bytes, and here four tokens. None of them is text by itself.
        check(
            call(BPETokenizer().decode, [72, 105, 32, 240, 159, 145, 139]),
            "Hi 👋",
            idea="Join the bytes of all IDs first, then decode once.",
            pitfall="token-by-token",
        )

    def test_a_character_cut_short_does_not_raise(self):
        # A model that writes token by token may stop in the middle of a character.
        check(
            call(BPETokenizer().decode, [72, 240, 159]),
            "H\ufffd",
            idea="What is not valid UTF-8 becomes the replacement character.",
            pitfall="strict-utf8",
        )

    @pytest.mark.parametrize("token_id", [256, 999, -1])
    def test_an_id_that_does_not_exist_is_named(self, token_id):
        check_raises(
            call(BPETokenizer().decode, [72, token_id, 105]),
            ValueError,
            saying=str(token_id),
            idea="The error must say which ID it was.",
            pitfall="unknown-id",
        )

    def test_special_tokens_are_text_too(self):
        check(
            call(BPETokenizer(["<|end|>"]).decode, [72, 105, 256]),
            "Hi<|end|>",
            idea="Special tokens are in vocab, with their bytes.",
            pitfall="special-tokens",
        )

    def test_the_id_of_a_special_token_can_be_above_all_others(self):
        tokenizer = BPETokenizer({"<|end|>": 1000})
        check(
            call(tokenizer.decode, [72, 105, 1000]),
            "Hi<|end|>",
            idea="Published tokenizers have gaps between IDs: vocab says which ones exist; its size does not.",
            pitfall="unknown-id",
        )
        check_raises(
            call(tokenizer.decode, [72, 500, 105]),
            ValueError,
            saying="500",
            idea="1000 is the highest ID, but there is none between 255 and it.",
            pitfall="unknown-id",
        )

    def test_tokens_learned_since_the_last_call_are_used(self):
        tokenizer = BPETokenizer()
        tokenizer.vocab[256] = b"th"
        ids = [256, 101]
        check(call(tokenizer.decode, ids), "the", idea="vocab has th under 256.", pitfall="unknown-id")
        tokenizer.vocab[256] = b"sh"
        check(
            call(tokenizer.decode, ids),
            "she",
            idea="After another training, an ID stands for other bytes.",
            pitfall="unknown-id",
        )

    def test_ids_in_an_array(self):
        # load_artifact gives the IDs of a corpus in one.
        import numpy as np

        check(
            call(BPETokenizer().decode, np.array(list(ODD_TEXT.encode()), dtype=np.uint32)),
            ODD_TEXT,
            idea="Anything that yields IDs one after the other will do; every byte of the text comes back.",
        )
        check(
            call(BPETokenizer().decode, np.array([72, 0])),
            "H\0",
            idea="NUL is a character like any other, also at the end.",
            pitfall="changed-text",
        )

    def test_calls_are_independent(self):
        with independent_calls("decode", with_merges([(116, 104)]), with_merges([(115, 104)])) as decode:
            decode([256, 101], gives="the", then="she")
            decode([101, 256], gives="eth", then="esh")
            # Whatever the size of the parts in which it might be decoded, one would end within a character.
            decode([97] + [240, 159, 145, 139] * 20_000, gives="a" + "👋" * 20_000, then="a" + "👋" * 20_000)


class TestRoundTrip:
    """decode(encode(text)) is the text, always."""

    @pytest.mark.parametrize("pattern", [None, "gpt2", "gpt4"], ids=str)
    def test_any_text_trained(self, pattern):
        trained = BPETokenizer(["<|end|>"], pattern)
        call(trained.train, PARAGRAPH + "naïve 👋👋 你好你好", 290, progress=False).value

        @examples
        @given(text=st.text(alphabet=st.one_of(st.sampled_from("she ashorl 你好é"), st.characters(codec="utf-8"))))
        def round_trip(text):
            check_round_trip(trained, text, "Tokenization is lossless, whatever the tokenizer was trained on.")

        round_trip()

    def test_every_learned_token_encodes_to_itself(self):
        # The invariant that other libraries rely on when they read the file.
        tokenizer = BPETokenizer()
        call(tokenizer.train, "she sells sea shells", 269, progress=False).value
        for token_id in range(256, 269):
            check(
                call(tokenizer.encode, tokenizer.vocab[token_id].decode()),
                [token_id],
                idea="The bytes of a token go through the merges that made it.",
                pitfall="merge-order",
            )


class TestSpecialTokens:
    """Control tokens: each has one ID, and is never merged."""

    def test_special_tokens_survive_the_round_trip(self):
        tokenizer = BPETokenizer.with_course_special_tokens()
        text = "<|system|>Be kind.<|end|><|user|>👋<|end|>"
        check_round_trip(tokenizer, text, "decode gives special tokens back as text.", "special-tokens")


class TestPatterns:
    """Pre-tokenization: text is cut into pieces first, and no token reaches across a cut."""

    def test_gpt2_keeps_the_space_with_the_word(self):
        assert list(BPETokenizer(pattern="gpt2")._pieces("Hello world, it's 2024")) == [
            b"Hello",
            b" world",
            b",",
            b" it",
            b"'s",
            b" 2024",
        ]

    def test_gpt4_cuts_numbers_into_threes(self):
        assert list(BPETokenizer(pattern="gpt4")._pieces("in 20245")) == [b"in", b" ", b"202", b"45"]

    def test_no_merge_reaches_across_words(self):
        # Without a pattern the first merge is (101,32), "e ": it occurs five times.
        tokenizer = BPETokenizer(pattern="gpt2")
        outcome = call(tokenizer.train, "be be me we he be", 259, progress=False)
        check(
            outcome.attribute("merges"),
            {(98, 101): 256, (32, 256): 257, (32, 109): 258},
            idea="'e' ends one piece and ' ' begins the next, so they are not a pair.",
            pitfall="barriers",
            difference=where_merges_part,
        )


class TestPersistence:
    """Files: your tokenizer is saved and loaded, and others read it. Saving and loading are given."""

    def test_a_saved_tokenizer_comes_back(self, tmp_path):
        tokenizer = with_merges([(116, 104), (257, 101)], ["<|end|>"], "gpt2")
        loaded = BPETokenizer.load(tokenizer.save(tmp_path / "tokenizer.json"))
        assert loaded.merges == tokenizer.merges and list(loaded.merges) == list(tokenizer.merges)
        assert loaded.vocab == tokenizer.vocab
        assert loaded.special_tokens == ("<|end|>",)
        assert loaded.pattern == PATTERNS["gpt2"]

    def test_your_artifact_comes_back(self, tmp_path):
        tokenizer = BPETokenizer.with_course_special_tokens()
        ids = call(tokenizer.train, PARAGRAPH, 300, progress=False).value
        call(tokenizer.save_artifact, tmp_path / "Mine", ids).value
        artifact = BPETokenizer.load_artifact(tmp_path / "Mine")
        check(
            call(artifact.tokenizer.decode, artifact.ids),
            PARAGRAPH,
            idea="The folder contains the tokenizer and the corpus as IDs; together they give the text back.",
            pitfall="token-by-token",
        )

    def test_others_get_your_ids_from_your_file(self, tmp_path):
        import tokenizers

        tokenizer = BPETokenizer.with_course_special_tokens()
        call(tokenizer.train, PARAGRAPH, 300, progress=False).value
        path = call(tokenizer.save, tmp_path / "tokenizer.json").value
        text = "<|user|>sea shells 👋<|end|>"
        check(
            call(tokenizer.encode, text),
            tokenizers.Tokenizer.from_file(str(path)).encode(text).ids,
            idea="The Rust library read your tokenizer.json: the same merges give the same IDs.",
            pitfall="merge-order",
        )


class TestRust:
    """Your methods against the fast ones: the course's engine, and the tokenizers library, written in Rust."""

    def test_train_exact_learns_the_same(self):
        tokenizer, exact = (BPETokenizer(["<|end|>"], "gpt2"), BPETokenizer(["<|end|>"], "gpt2"))
        outcome = call(tokenizer.train, PARAGRAPH + "<|end|>" + PARAGRAPH, 290, progress=False)
        exact.train_exact(PARAGRAPH + "<|end|>" + PARAGRAPH, 290, progress=False)
        check(
            outcome.attribute("merges"),
            exact.merges,
            idea="train_exact keeps counts up to date instead of counting again, and ends with the same merges.",
            pitfall="ties",
            difference=where_merges_part,
        )

    def test_encode_fast_gives_the_same_ids(self):
        tokenizer = with_merges([*THE_MERGES, (104, 101), (32, 115), (101, 258)], pattern="gpt4")

        @examples
        @given(text=st.text(alphabet=st.one_of(st.sampled_from("the s"), st.characters(codec="utf-8")), max_size=40))
        def same_ids(text):
            check(
                call(tokenizer.encode, text),
                tokenizer.encode_fast(text),
                idea="encode_fast is the engine of the course: the same merges, applied by compiled loops.",
                pitfall="merge-order",
            )

        same_ids()
