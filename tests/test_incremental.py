"""Tests of module 04e, training that keeps its counts. Work through them from top to bottom:

    1. TestGiven               passes already: the parts that are given
    2. TestBuildTables         write build_tables
    3. TestApplyMerge          write apply_merge
    4. TestTrainIncremental    write train_incremental
    5. TestEqualsPlainTraining, TestWork   need all three: the same merges as plain training, with less work

What is counted is work: which words are looked at, and how often. Only the last test is about time: the work that the
others rule out would take many times the limit there.

One group at a time, stopping at the first failure:

    pytest tests/test_incremental.py -x -k TestBuildTables
"""

import warnings
from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach.teaching import call, check, examples
from coach.testing.again import independent_calls
from g2c.common.errors import VocabularyNotReached
from g2c.tokenizer import apply_merge, build_tables, train_incremental
from g2c.tokenizer.base import BPEBase
from g2c.tokenizer.incremental import PairTables, count_words, first_place

pytestmark = pytest.mark.student("04e")

LOW = {b"low": 5, b"lower": 2, b"new": 3}
L, O, W, E, R, N = b"lowern"
PARAGRAPH = "the more the merrier, the merry men said; more men, more merriment, and the merriest of them all. " * 3


def reference_tables(counts, *merges):
    """Compute the right tables for these words after these merges."""
    tables = PairTables(words=merged_words(counts, *merges), frequencies=list(counts.values()))
    tables.pair_counts = dict(recount(tables))
    for number, word in enumerate(tables.words):
        for pair in pairs_in(word):
            tables.pair_words.setdefault(pair, set()).add(number)
    return tables


def merged_words(words, *merges):
    """The IDs of each word after these merges."""
    # As a text whose characters have the IDs as their code points, in which a merge is a replacement.
    texts = ["".join(map(chr, word)) for word in words]
    for (left, right), new_id in merges:
        texts = [text.replace(chr(left) + chr(right), chr(new_id)) for text in texts]
    return [list(map(ord, text)) for text in texts]


def pairs_in(word):
    """pair -> how often it occurs in a list of IDs."""
    return Counter(pairwise(word))


def built(outcome, name):
    """One of the tables that build_tables returned."""
    return outcome.seen_as(lambda tables: getattr(tables, name), f"tables.{name}")


def merged(counts, pair, new_id, *more):
    """Call apply_merge on right tables for `counts`, after the merges `more`, which were made without mistakes."""
    tables = reference_tables(counts, *more)
    done = "".join(f" after {earlier} -> {earlier_id}" for earlier, earlier_id in more)
    return call(apply_merge, tables, pair, new_id).shown_as(f"apply_merge(tables of {counts}{done}, {pair}, {new_id})")


def after(outcome, name):
    """One of the tables, as apply_merge left it."""
    return outcome.argument().seen_as(lambda tables: getattr(tables, name), f"tables.{name}")


def words_of_tables(outcome):
    """The words, and those in which "ne" may occur, as apply_merge left them."""
    return outcome.argument().seen_as(
        lambda tables: (tables.words, tables.pair_words.get((N, E))), "words and those of ne"
    )


def in_order(outcome):
    return outcome.seen_as(lambda merges: list(merges.items()), "the merges in order")


def recount(tables):
    """Count the pairs in the words of these tables again."""
    counts = Counter()
    for word, frequency in zip(tables.words, tables.frequencies):
        counts.update({pair: number * frequency for pair, number in pairs_in(word).items()})
    return dict(counts)


def plain_merges(words, num_merges, first_id=256):
    """The merges of plain training on a corpus that consists of these words in this order, from the engine."""
    from g2c.engine.exact import WordCounts, train_on_words

    tokenizer = BPEBase([f"<{number}>" for number in range(256, first_id)])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", VocabularyNotReached)
        counts = WordCounts.of(Counter(words).items())
        train_on_words(tokenizer, counts, first_id + num_merges, progress=False)
    return tokenizer.merges


class Spy:
    """Stands in for a function that your train_incremental calls, and records its arguments and results."""

    def __init__(self, monkeypatch, name):
        self.calls = []
        own = train_incremental.__globals__[name]

        def watched(*args, **kwargs):
            result = own(*args, **kwargs)
            self.calls.append((args, result))
            return result

        monkeypatch.setitem(train_incremental.__globals__, name, watched)


class TestGiven:
    """The given part. These tests pass before anything is written: they show what your functions work on."""

    def test_fresh_tables_are_empty(self):
        tables = PairTables()
        assert (tables.words, tables.frequencies, tables.pair_counts, tables.pair_words) == ([], [], {}, {})
        assert tables.words_touched == 0
        tables.pair_counts[1, 2] = 3
        assert PairTables().pair_counts == {}

    def test_words_are_counted_in_order_of_first_appearance(self):
        assert list(count_words("low new low new low").items()) == [(b"low", 1), (b" new", 2), (b" low", 2)]
        assert count_words("") == {}

    def test_the_frequencies_of_words_add_up_to_the_text(self):
        counts = count_words(PARAGRAPH)
        assert sum(len(word) * count for word, count in counts.items()) == len(PARAGRAPH.encode())

    def test_words_are_the_pieces_of_gpt2(self):
        assert count_words("it's 12345") == {b"it": 1, b"'s": 1, b" 12345": 1}

    def test_the_first_place_is_the_lowest_word_and_position(self):
        tables = reference_tables({b"low": 1, b"elol": 1})
        assert first_place(tables, (L, O)) == (0, 0)
        assert first_place(tables, (O, L)) == (1, 2)

    def test_the_first_place_passes_over_words_that_have_lost_the_pair(self):
        tables = reference_tables({b"low": 1, b"elo": 1})
        tables.words[0] = [256, W]
        assert first_place(tables, (L, O)) == (1, 1)

    def test_a_pair_that_occurs_nowhere_has_no_first_place(self):
        with pytest.raises(ValueError, match="none of the words"):
            first_place(PairTables(), (L, O))


class TestBuildTables:
    """`build_tables`: count everything, once."""

    def test_words_are_lists_of_bytes(self):
        check(
            built(call(build_tables, dict(LOW)), "words"),
            [[L, O, W], [L, O, W, E, R], [N, E, W]],
            idea="A word starts as a list of its bytes, which merging can replace.",
            pitfall="words",
        )

    def test_frequencies_are_in_the_same_order(self):
        check(
            built(call(build_tables, dict(LOW)), "frequencies"),
            [5, 2, 3],
            idea="Word 0 occurs 5 times, word 1 twice, word 2 three times.",
            pitfall="words",
        )

    @pytest.mark.core
    def test_a_count_adds_up_frequencies(self):
        check(
            built(call(build_tables, dict(LOW)), "pair_counts"),
            {(L, O): 7, (O, W): 7, (W, E): 2, (E, R): 2, (N, E): 3, (E, W): 3},
            idea="low occurs 5 times in the corpus and lower twice, so the pair (l, o) occurs 7 times.",
            pitfall="frequency",
        )

    def test_every_place_in_a_word_counts(self):
        check(
            built(call(build_tables, {b"lolo": 3}), "pair_counts"),
            {(L, O): 6, (O, L): 3},
            idea="(l, o) occurs twice in lolo, and lolo occurs three times in the corpus.",
            pitfall="frequency",
        )

    def test_overlapping_pairs_all_count(self):
        check(
            built(call(build_tables, {b"llll": 2}), "pair_counts"),
            {(L, L): 6},
            idea="Four equal IDs have three pairs of neighbors, as in module 04.",
            pitfall="overlap",
        )

    @pytest.mark.core
    def test_each_pair_knows_its_words(self):
        check(
            built(call(build_tables, dict(LOW)), "pair_words"),
            {(L, O): {0, 1}, (O, W): {0, 1}, (W, E): {1}, (E, R): {1}, (N, E): {2}, (E, W): {2}},
            idea="The numbers of all words that contain the pair, each once.",
            pitfall="pair-words",
        )

    def test_words_without_a_pair(self):
        check(
            built(call(build_tables, {b"l": 4, b"lo": 1}), "pair_words"),
            {(L, O): {1}},
            idea="A word of one byte keeps its number, though it has no pair.",
            pitfall="words",
        )
        check(
            built(call(build_tables, {b"l": 4, b"lo": 1}), "words"),
            [[L], [L, O]],
            idea="Every word is in the list, even one of a single byte: its place is its number.",
            pitfall="words",
        )

    def test_no_words(self):
        outcome = call(build_tables, {})
        check(built(outcome, "pair_counts"), {}, idea="No word, no pair.", pitfall="words")

    def test_nothing_is_touched_yet(self):
        check(
            built(call(build_tables, dict(LOW)), "words_touched"),
            0,
            idea="words_touched measures only the work of merging.",
            pitfall="only-touched",
        )

    def test_counts_are_whole_numbers(self):
        counts = built(call(build_tables, dict(LOW)), "pair_counts")
        check(
            counts.seen_as(lambda counts: [n for n in counts.values() if isinstance(n, float)], "counts of type float"),
            [],
            idea="How often something occurs is an int: 7, not 7.0.",
            pitfall="frequency",
        )

    def test_calls_are_independent(self):
        with independent_calls(build_tables, see=lambda outcome: built(outcome, "pair_words")) as build:
            build({b"low": 5, b"lo": 2}, gives={(L, O): {0, 1}, (O, W): {0}})
            build({b"new": 5, b"lo": 2}, gives={(N, E): {0}, (E, W): {0}, (L, O): {1}})
            build({b"\xff\xfe": 5, b"lo": 2}, gives={(0xFF, 0xFE): {0}, (L, O): {1}})


class TestApplyMerge:
    """`apply_merge`: one merge, after which all tables are right again."""

    @pytest.mark.core
    def test_the_pair_is_replaced_in_every_word(self):
        check(
            after(merged(LOW, (L, O), 256), "words"),
            [[256, W], [256, W, E, R], [N, E, W]],
            idea="Words 0 and 1 contain the pair; word 2 does not.",
            pitfall="count-in-and-out",
        )

    @pytest.mark.core
    def test_overlapping_pairs_are_replaced_from_left_to_right(self):
        check(
            after(merged({b"lllll": 1}, (L, L), 256), "words"),
            [[256, 256, L]],
            idea="As in module 04: each ID can be merged only once.",
            pitfall="overlap",
        )

    def test_ids_are_compared_and_not_their_digits(self):
        check(
            after(merged({bytes([1, 2, 21, 23]): 1}, (1, 2), 256), "words"),
            [[256, 21, 23]],
            idea="As text, 21 23 contains 1 2; but neither ID is 1 or 2.",
            pitfall="count-in-and-out",
        )

    def test_one_token_may_be_left(self):
        check(
            after(merged({b"low": 5, b"lo": 2}, (L, O), 256), "words"),
            [[256, W], [256]],
            idea="lo is one token now. It has no pair, but it is stored like any other word.",
            pitfall="words",
        )

    @pytest.mark.core
    def test_the_counts_are_right_again(self):
        check(
            after(merged(LOW, (L, O), 256), "pair_counts"),
            {(256, W): 7, (W, E): 2, (E, R): 2, (N, E): 3, (E, W): 3},
            idea="(l, o) and (o, w) are gone, (256, w) is in words 0 and 1, and all other pairs stay.",
            pitfall="count-in-and-out",
        )

    def test_a_pair_that_stays_elsewhere_keeps_the_rest(self):
        check(
            after(merged({b"low": 5, b"row": 2}, (L, O), 256), "pair_counts"),
            {(256, W): 5, (R, O): 2, (O, W): 2},
            idea="(o, w) has lost the 5 of low and keeps the 2 of row.",
            pitfall="frequency",
        )

    @pytest.mark.parametrize("word", [b"lll", b"llll", b"lllll", b"wllllw", b"lllwlll"], ids=bytes.decode)
    def test_overlaps_are_counted_right(self, word):
        # Three l are two pairs, but one replacement: correcting neighbor by neighbor goes wrong here.
        outcome = merged({word: 3}, (L, L), 256)
        check(
            after(outcome, "pair_counts"),
            recount(PairTables(words=merged_words([word], ((L, L), 256)), frequencies=[3])),
            idea="Subtract all pairs of the old word, then add all pairs of the new one.",
            pitfall="overlap",
        )

    def test_new_pairs_know_their_words(self):
        outcome = merged(LOW, (L, O), 256)
        check(
            after(outcome, "pair_words").seen_as(
                lambda pair_words: pair_words.get((256, W)), "tables.pair_words[256, 119]"
            ),
            {0, 1},
            idea="(256, w) is now in words 0 and 1. A word that is missing here would not be merged later.",
            pitfall="pair-words",
        )

    def test_the_merged_pair_has_no_words(self):
        outcome = merged(LOW, (L, O), 256)
        check(
            after(outcome, "pair_words").seen_as(lambda pair_words: (L, O) in pair_words, "(108, 111) is there"),
            False,
            idea="It no longer occurs in any word.",
            pitfall="pair-words",
        )

    def test_no_word_is_missing_from_a_pair(self):
        def missing(tables):
            return [
                (pair, number)
                for number, word in enumerate(tables.words)
                for pair in zip(word, word[1:])
                if number not in tables.pair_words.get(pair, ())
            ]

        outcome = merged({b"lowow": 1, b"owl": 2}, (L, O), 256)
        check(
            outcome.argument().seen_as(missing, "missing (pair, number of the word)"),
            [],
            idea="A number may stay too long in a set, but must never be missing.",
            pitfall="pair-words",
        )

    def test_words_touched_counts_the_words_that_were_looked_at(self):
        check(
            after(merged(LOW, (L, O), 256), "words_touched"),
            2,
            idea="Two of the three words contain (l, o); the third is not looked at.",
            pitfall="only-touched",
        )

    def test_a_word_with_the_pair_twice_is_touched_once(self):
        check(
            after(merged({b"lolo": 3, b"low": 5}, (L, O), 256), "words_touched"),
            2,
            idea="words_touched counts words, not places.",
            pitfall="only-touched",
        )

    def test_words_touched_goes_on_counting(self):
        tables = reference_tables(LOW)
        tables.words_touched = 40
        outcome = call(apply_merge, tables, (N, E), 256).shown_as(f"apply_merge(tables of {LOW}, {(N, E)}, 256)")
        check(after(outcome, "words_touched"), 41, idea="It is a sum over all merges.", pitfall="only-touched")

    def test_only_the_words_in_pair_words_are_visited(self):
        words = {b"low": 5, b"lor": 3}
        tables = reference_tables(words)
        tables.pair_words[L, O].discard(1)
        tables.frequencies[1] = 1
        shown = f"apply_merge(tables of {words}, no word 1 in pair_words, 1 in frequencies[1], {(L, O)}, 256)"
        outcome = call(apply_merge, tables, (L, O), 256).shown_as(shown)
        check(
            after(outcome, "words"),
            [[256, W], [L, O, R]],
            idea="The set does not contain word 1, so this word stays: visit the words in pair_words[pair] only.",
            pitfall="only-touched",
            mistake="merge_looks_at_all_words",
        )
        check(
            after(outcome, "pair_counts").seen_as(
                lambda pair_counts: pair_counts.get((O, R)), "tables.pair_counts[111, 114]"
            ),
            3,
            idea="Word 1 is not read: (o, r) was counted 3 times, and stays so although the word's frequency is 1 now.",
            pitfall="only-touched",
        )

    def test_a_number_that_stayed_too_long_does_no_harm(self):
        tables = reference_tables(LOW)
        tables.pair_words[N, E].add(0)
        outcome = call(apply_merge, tables, (N, E), 256).shown_as(
            f"apply_merge(tables of {LOW}, with 0 in pair_words[{N, E}], {(N, E)}, 256)"
        )
        check(
            after(outcome, "pair_counts"),
            {(L, O): 7, (O, W): 7, (W, E): 2, (E, R): 2, (256, W): 3},
            idea="Word 0 does not contain the pair: subtracting its pairs and adding them again changes nothing.",
            pitfall="count-in-and-out",
        )
        check(
            after(outcome, "words_touched"),
            2,
            idea="Word 0 is visited too, because pair_words lists it. Count each word before you look for the pair.",
            pitfall="only-touched",
        )

    @examples
    @given(
        words=st.lists(
            st.binary(min_size=1, max_size=7).map(lambda b: bytes(x % 3 for x in b)), min_size=1, max_size=8
        ),
        data=st.data(),
    )
    def test_merge_after_merge_the_tables_stay_right(self, words, data):
        tables = reference_tables(dict(Counter(words)))
        for new_id in range(256, 260):
            if not (known := sorted(recount(tables))):
                break
            pair = data.draw(st.sampled_from(known))
            expected = merged_words(tables.words, (pair, new_id))
            shown = f"apply_merge(tables with {tables.words}, {pair}, …)"
            outcome = call(apply_merge, tables, pair, new_id).shown_as(shown)
            check(
                after(outcome, "words"),
                expected,
                idea="Every word is stored with its pairs replaced, even if one token is left of it.",
                pitfall="count-in-and-out",
            )
            check(
                after(outcome, "pair_counts"),
                recount(tables),
                idea="The counts always equal those of counting all words again.",
                pitfall="count-in-and-out",
            )

    def test_calls_are_independent(self):
        with independent_calls(apply_merge, see=words_of_tables) as merge:
            merge(reference_tables({b"low": 5, b"lo": 2}), (L, O), 256, gives=([[256, W], [256]], None))
            merge(reference_tables({b"new": 5, b"low": 2}), (L, O), 256, gives=([[N, E, W], [256, W]], {0}))


class TestTrainIncremental:
    """`train_incremental`: the loop around the two."""

    @pytest.mark.core
    def test_the_most_frequent_pair_comes_first(self):
        check(
            call(train_incremental, {b"low": 2, b"new": 3, b"newer": 1}, 1),
            {(N, E): 256},
            idea="(n, e) occurs 4 times in the corpus, and no pair before it occurs as often.",
            pitfall="ties",
        )

    @pytest.mark.core
    def test_merges_build_on_one_another(self):
        check(
            call(train_incremental, dict(LOW), 3),
            {(L, O): 256, (256, W): 257, (N, E): 258},
            idea="low, 7 times; then (n, e) and (258, w), 3 times each.",
            pitfall="count-in-and-out",
        )

    def test_ids_begin_with_first_id(self):
        check(
            call(train_incremental, dict(LOW), num_merges=2, first_id=264),
            {(L, O): 264, (264, W): 265},
            idea="With the course's special tokens the first merge is 264.",
            pitfall="first-id",
        )

    def test_a_tie_goes_to_the_pair_that_comes_first(self):
        check(
            call(train_incremental, {b"row": 1, b"low": 1}, 1),
            {(O, W): 256},
            idea="(o, w) occurs twice, all others once: there is no tie.",
            pitfall="ties",
        )
        check(
            call(train_incremental, {b"wol": 1, b"low": 1}, 1),
            {(W, O): 256},
            idea="All four pairs occur once; (w, o) comes first, in word 0 at position 0.",
            pitfall="ties",
        )

    def test_a_tie_is_decided_by_the_place_now(self):
        # The dictionary of counts has (n, e) before (256, w): a new pair is a new key, and comes last.
        check(
            call(train_incremental, {b"low": 1, b"new": 1}, 2),
            {(L, O): 256, (256, W): 257},
            idea="After the first merge all pairs occur once, and (256, w) is the first of them, in word 0.",
            pitfall="ties",
        )
        check(
            call(train_incremental, {b"lowe": 1, b"we": 1, b"low": 1}, 2),
            {(L, O): 256, (256, W): 257},
            idea="Then (256, w) and (w, e) occur twice each. Both begin in word 0, and (256, w) comes first in it.",
            pitfall="ties",
        )

    def test_a_tie_of_large_counts(self):
        check(
            call(train_incremental, {b"low": 5000, b"new": 5000}, 2),
            {(L, O): 256, (256, W): 257},
            idea="5000 and 5000 are equal: compare counts with ==. `is` asks whether they are the same object.",
            pitfall="ties",
        )

    def test_it_ends_with_the_last_merge_asked_for(self):
        words = {bytes([first, second]): 1 for first in range(20) for second in range(20)}
        check(
            call(train_incremental, dict(words), 300),
            {tuple(word): 256 + number for number, word in enumerate(list(words)[:300])},
            idea="400 pairs could be merged, but num_merges is 300.",
            pitfall="no-pair-left",
        )

    def test_it_ends_when_no_pair_is_left(self):
        check(
            call(train_incremental, {b"low": 1}, 100),
            {(L, O): 256, (256, W): 257},
            idea="A word of three bytes allows two merges.",
            pitfall="no-pair-left",
        )

    @pytest.mark.parametrize("word_counts", [{}, {b"l": 5}, {b"": 1}], ids=["none", "one byte", "no byte"])
    def test_a_corpus_without_a_pair(self, word_counts):
        check(call(train_incremental, word_counts, 5), {}, idea="Nothing to merge.", pitfall="no-pair-left")

    def test_no_merges_asked_for(self):
        check(call(train_incremental, dict(LOW), 0), {}, idea="Then there are none.", pitfall="no-pair-left")

    def test_calls_are_independent(self):
        with independent_calls(train_incremental, see=in_order) as train:
            train({b"low": 5, b"lo": 2}, 2, first_id=300, gives=[((L, O), 300), ((300, W), 301)])
            train({b"low": 5, b"lo": 2}, 2, gives=[((L, O), 256), ((256, W), 257)])
            train({b"new": 5, b"no": 2}, 2, gives=[((N, E), 256), ((256, W), 257)])


class TestEqualsPlainTraining:
    """The same merges, in the same order, as plain training gives on the corpus."""

    def check_equal(self, words, num_merges, first_id=256):
        counts = dict(Counter(words))
        check(
            call(train_incremental, counts, num_merges, first_id=first_id),
            plain_merges(words, num_merges, first_id),
            idea="Plain training on the corpus, word after word, gives these merges.",
            pitfall="ties",
        )

    def test_a_paragraph(self):
        words = [piece.encode() for piece in PARAGRAPH.replace(" ", " \0").split("\0")]
        self.check_equal(words, 60)

    def test_many_ties(self):
        self.check_equal([bytes([i, i + 1, i + 2]) for i in range(40, 100, 3)] * 2, 50)

    def test_long_runs(self):
        self.check_equal([b"a" * n for n in (9, 4, 7, 2, 1, 16, 3)] + [b"aabaab", b"baaab"], 20)

    @examples
    @given(st.lists(st.text(alphabet="ab", min_size=1, max_size=9).map(str.encode), max_size=12))
    def test_two_letters_full_of_overlaps(self, words):
        self.check_equal(words, 12)

    @examples
    @given(st.lists(st.text(alphabet="abcdef", min_size=1, max_size=5).map(str.encode), max_size=15))
    def test_six_letters_full_of_ties(self, words):
        self.check_equal(words, 15)


class TestWork:
    """How much work is done, counted in words."""

    WORDS = count_words(PARAGRAPH)

    @pytest.mark.in_process
    def test_the_tables_are_built_once(self, monkeypatch):
        spy = Spy(monkeypatch, "build_tables")
        outcome = call(train_incremental, self.WORDS, 30)
        check(
            outcome.argument().seen_as(lambda _: len(spy.calls), "calls of build_tables"),
            1,
            idea="Everything is counted once; after that the counts are kept.",
            pitfall="only-touched",
            mistake="train_builds_again",
        )

    @pytest.mark.in_process
    def test_every_merge_is_applied_once(self, monkeypatch):
        spy = Spy(monkeypatch, "apply_merge")
        outcome = call(train_incremental, self.WORDS, 30)
        check(
            outcome.argument().seen_as(lambda _: len(spy.calls), "calls of apply_merge"),
            30,
            idea="30 merges.",
            pitfall="only-touched",
        )

    @pytest.mark.in_process
    def test_first_place_is_asked_for_the_highest_count_only(self, monkeypatch):
        tables = Spy(monkeypatch, "build_tables")
        asked = []
        own = train_incremental.__globals__["first_place"]

        def first_place(tables, pair):
            asked.append(tables.pair_counts[pair] == max(tables.pair_counts.values()))
            return own(tables, pair)

        monkeypatch.setitem(train_incremental.__globals__, "first_place", first_place)
        outcome = call(train_incremental, self.WORDS, 30)
        wasted = outcome.argument().seen_as(
            lambda _: asked.count(False), "pairs asked for that do not have the highest count"
        )
        check(
            wasted,
            0,
            idea="first_place searches words, so use it only for ties.",
            pitfall="ties",
            mistake="train_asks_for_all_places",
        )
        assert tables.calls

    def test_a_large_corpus_takes_no_long_time(self):
        # Frequent words give every merge; 50,000 rare ones, of other letters, are never merged.
        frequent = {
            bytes(128 + (7 * i + (2 * i + 1) * j) % 128 for j in range(11)): 10_000 + 17 * i for i in range(120)
        }
        rare = {f"{number:o}".translate(str.maketrans("01234567", "abcdefgh")).encode(): 1 for number in range(50_000)}
        outcome = call(train_incremental, frequent | rare, 1000).shown_as("train_incremental(50,120 words, 1000)")
        check(
            outcome.seen_as(len, "the number of merges"),
            1000,
            idea="After the first count, a merge costs only what it changes.",
            pitfall="only-touched",
        )
