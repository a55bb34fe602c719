"""Tests of module 04b, BPE inside words. Work through them from top to bottom:

    1. TestConstruction            passes already: the parts that are given
    2. TestPairCounts              write _get_pair_counts
    3. TestLearnMerge, TestTrain   write learn_merge
    4. TestNextMerge, TestTokenize write _next_merge
    5. TestEncode                  write encode
    6. TestRoundTrip               needs all four

One group at a time, stopping at the first failure:

    pytest tests/test_word_bpe.py -x -k TestPairCounts
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach.teaching import call, check, check_raises, examples
from coach.testing.again import independent_calls
from g2c.tokenizer import WordBPETokenizer

pytestmark = pytest.mark.student("04b")

LOW = {"low": 5, "lower": 2, "lowest": 1}
"""The corpus of the handout: words with their frequencies."""

LOW_MERGES = [("l", "o"), ("lo", "w"), ("low", "_"), ("low", "e")]
"""What it teaches, with the marker "_"."""

SENTENCE = "the newest and the lowest of the low were never lower than the newer ones, and never newer than the newest"


def with_merges(merges, alphabet="", **options) -> WordBPETokenizer:
    """A tokenizer that knows these merges, entered by hand: what a test of `encode` needs, without training."""
    tokenizer = WordBPETokenizer(**{"end_of_word": "_"} | options)
    tokenizer.merges = merges
    symbols = sorted({*alphabet, tokenizer.end_of_word} - {None})
    tokenizer._set_tokens([*tokenizer.special_tokens, *symbols, *(left + right for left, right in merges)])
    return tokenizer


def low(**options) -> WordBPETokenizer:
    """The tokenizer that the corpus of the handout gives: _ is 4, then e l o r s t w, then lo low low_ lowe."""
    return with_merges(LOW_MERGES, "elorstw", **options)


class TestConstruction:
    """The given part. These tests pass before anything is written: they show the state that your methods work on."""

    def test_a_fresh_tokenizer_knows_the_special_tokens_and_no_merges(self):
        assert WordBPETokenizer().token_to_id == {"[PAD]": 0, "[UNK]": 1, "[BOS]": 2, "[EOS]": 3}
        assert WordBPETokenizer().id_to_token == {0: "[PAD]", 1: "[UNK]", 2: "[BOS]", 3: "[EOS]"}
        assert WordBPETokenizer().vocab_size == 4
        assert WordBPETokenizer().merges == []

    def test_another_list_of_special_tokens(self):
        tokenizer = WordBPETokenizer(["<unk>", "<s>"], unk_token="<unk>", bos_token="<s>", eos_token="<s>")
        assert tokenizer.token_to_id == {"<unk>": 0, "<s>": 1}
        assert WordBPETokenizer([]).vocab_size == 0

    def test_two_tokenizers_share_nothing(self):
        one, other = WordBPETokenizer(), WordBPETokenizer()
        one.merges.append(("a", "b"))
        assert other.merges == []

    def test_a_word_is_its_characters_and_the_marker(self):
        assert WordBPETokenizer()._symbols("low") == ("l", "o", "w", "</w>")
        assert WordBPETokenizer(end_of_word="_")._symbols("3,5%!") == ("3", ",", "5", "%", "!", "_")
        assert WordBPETokenizer(end_of_word=None)._symbols("low") == ("l", "o", "w")

    def test_the_characters_of_a_marker_or_special_token_are_characters(self):
        assert WordBPETokenizer(end_of_word="_")._symbols("a.b") == ("a", ".", "b", "_")
        assert WordBPETokenizer()._symbols("x</w>") == ("x", "<", "/", "w", ">", "</w>")
        assert WordBPETokenizer(end_of_word=None)._symbols("[UNK]") == ("[", "U", "N", "K", "]")

    @pytest.mark.parametrize(
        "word", ["", " ", "two words", "line\n", "\u00a0"], ids=["none", "space", "two", "line end", "no-break space"]
    )
    def test_what_is_not_one_word_is_refused(self, word):
        with pytest.raises(ValueError, match="whitespace"):
            WordBPETokenizer().trace(word)

    @pytest.mark.parametrize("word", [b"low", 5, None, ["low"]], ids=["bytes", "int", "None", "list"])
    def test_what_is_not_text_is_refused(self, word):
        with pytest.raises(TypeError, match="str"):
            WordBPETokenizer().tokenize(word)


class TestPairCounts:
    """`_get_pair_counts`: which symbols are neighbors in the words, and how often."""

    @pytest.mark.core
    def test_one_word(self):
        check(
            call(WordBPETokenizer()._get_pair_counts, {("l", "o", "w"): 1}),
            {("l", "o"): 1, ("o", "w"): 1},
            idea="Three symbols in a row have two pairs.",
            pitfall="across-words",
        )

    @pytest.mark.core
    def test_a_word_counts_as_often_as_it_occurs(self):
        check(
            call(WordBPETokenizer()._get_pair_counts, {("l", "o", "w"): 5, ("l", "o"): 2}),
            {("l", "o"): 7, ("o", "w"): 5},
            idea="The dictionary says that the first word occurs five times: so does each of its pairs.",
            pitfall="frequency",
        )

    def test_the_marker_is_a_symbol_like_any_other(self):
        check(
            call(WordBPETokenizer()._get_pair_counts, {("l", "o", "</w>"): 5}),
            {("l", "o"): 5, ("o", "</w>"): 5},
            idea="The marker makes low at the end of a word a different token from low at the beginning of lower.",
            pitfall="across-words",
        )

    def test_a_pair_that_occurs_twice_in_a_word(self):
        check(
            call(WordBPETokenizer()._get_pair_counts, {("a", "n"): 2, ("b", "a", "n", "a", "n", "a"): 3}),
            {("a", "n"): 8, ("b", "a"): 3, ("n", "a"): 6},
            idea="a,n occurs at two places of a word that occurs three times, and in another one that occurs twice.",
            pitfall="frequency",
        )

    @pytest.mark.core
    def test_no_pair_reaches_into_the_next_word(self):
        check(
            call(WordBPETokenizer()._get_pair_counts, {("a", "b"): 1, ("c", "d"): 1}),
            {("a", "b"): 1, ("c", "d"): 1},
            idea="b and c are in two different words, and the order of words in the text is not known.",
            pitfall="across-words",
        )

    def test_pairs_that_overlap_all_count(self):
        check(
            call(WordBPETokenizer()._get_pair_counts, {("z", "z", "z"): 2}),
            {("z", "z"): 4},
            idea="First and second are neighbors, second and third are neighbors: two pairs, twice each.",
            pitfall="overlap",
        )

    def test_pairs_that_make_the_same_text_are_told_apart(self):
        check(
            call(WordBPETokenizer()._get_pair_counts, {("a", "bc"): 1, ("ab", "c"): 1, ("A", "bc"): 2}),
            {("a", "bc"): 1, ("ab", "c"): 1, ("A", "bc"): 2},
            idea="The first two both make 'abc', but they are different pairs; the one with a capital is a third.",
            pitfall="symbols",
        )

    @pytest.mark.parametrize("words", [{}, {("a",): 3}, {("a",): 3, ("b",): 1}], ids=["none", "one", "two"])
    def test_words_without_a_pair(self, words):
        check(
            call(WordBPETokenizer()._get_pair_counts, words),
            {},
            idea="A pair needs two symbols.",
            pitfall="across-words",
        )

    def test_the_pairs_are_in_order_of_first_appearance(self):
        outcome = call(WordBPETokenizer()._get_pair_counts, {("w", "a", "s"): 1, ("a", "s", "h"): 9})
        check(
            outcome.seen_as(list, "the order of the keys"),
            [("w", "a"), ("a", "s"), ("s", "h")],
            idea="In a tie, learn_merge takes the pair seen first, which it finds by the order of the dictionary.",
            pitfall="ties",
        )

    def test_counts_are_whole_numbers(self):
        outcome = call(WordBPETokenizer()._get_pair_counts, {("l", "o", "w"): 5, ("l", "o"): 2})
        check(
            outcome.seen_as(
                lambda counts: [n for n in counts.values() if isinstance(n, float)], "counts of type float"
            ),
            [],
            idea="How often something occurs is an int: 7, not 7.0.",
            pitfall="frequency",
        )

    def test_calls_are_independent(self):
        with independent_calls("_get_pair_counts", low()) as counts:
            counts({("l", "o", "w"): 5, ("l", "o"): 2}, gives={("l", "o"): 7, ("o", "w"): 5})
            counts({("n", "e", "w"): 3, ("n", "e"): 1}, gives={("n", "e"): 4, ("e", "w"): 3})


class TestLearnMerge:
    """`learn_merge`: one merge."""

    @pytest.mark.core
    def test_the_first_merge(self):
        check(
            call(WordBPETokenizer().learn_merge, {("l", "o", "w"): 5, ("l", "o", "l", "o"): 2, ("h", "i"): 1}),
            ({("lo", "w"): 5, ("lo", "lo"): 2, ("h", "i"): 1}, ("l", "o"), 9),
            idea="l,o is seen nine times, more often than any other pair: it occurs twice in the second word.",
            pitfall="frequency",
        )

    def test_a_pair_seen_once_is_a_pair_too(self):
        check(
            call(WordBPETokenizer().learn_merge, {("h", "i"): 1}),
            ({("hi",): 1}, ("h", "i"), 1),
            idea="Learning continues as long as there is a pair.",
            pitfall="nothing-left",
        )

    @pytest.mark.core
    def test_what_was_learned_before_stays(self):
        outcome = call(with_merges([("a", "b")]).learn_merge, {("l", "o", "w"): 5, ("l", "o"): 2})
        check(
            outcome.attribute("merges"),
            [("a", "b"), ("l", "o")],
            idea="The new pair comes after those that were learned before it.",
            pitfall="append",
        )

    def test_the_new_token_gets_no_id_yet(self):
        outcome = call(WordBPETokenizer().learn_merge, {("l", "o"): 2})
        check(
            outcome.attribute("token_to_id"),
            WordBPETokenizer().token_to_id,
            idea="train, which is given, numbers the tokens. learn_merge only adds its pair to merges.",
            pitfall="append",
        )

    def test_in_a_tie_the_pair_seen_first_wins(self):
        words = {("m", "n"): 2, ("z", "y"): 2, ("xx", "yy"): 2, ("a", "b"): 2, ("p", "q"): 2}
        outcome = call(WordBPETokenizer().learn_merge, words)
        check(
            outcome.attribute("merges"),
            [("m", "n")],
            idea="All five are seen twice; m,n comes first.",
            pitfall="ties",
        )

    def test_words_without_the_pair_stay(self):
        check(
            call(WordBPETokenizer().learn_merge, {("h", "i"): 1, ("l", "o"): 5, ("h",): 9}),
            ({("h", "i"): 1, ("lo",): 5, ("h",): 9}, ("l", "o"), 5),
            idea="They are part of the corpus, with their frequencies and in their places.",
            pitfall="words-back",
        )

    def test_symbols_that_only_look_like_the_pair_stay(self):
        check(
            call(WordBPETokenizer().learn_merge, {("a", "b"): 2, ("ca", "b"): 1, ("a", "bc"): 1}),
            ({("ab",): 2, ("ca", "b"): 1, ("a", "bc"): 1}, ("a", "b"), 2),
            idea="The symbols are 'ca' and 'b', then 'a' and 'bc'. self._merge compares whole symbols.",
            pitfall="symbols",
        )

    def test_the_pair_is_joined_wherever_it_occurs_in_a_word(self):
        check(
            call(WordBPETokenizer().learn_merge, {("a", "b", "c", "a", "b"): 3, ("x", "a", "b", "a", "b"): 1}),
            ({("ab", "c", "ab"): 3, ("x", "ab", "ab"): 1}, ("a", "b"), 8),
            idea="Each word contains a,b twice, and both places are joined.",
            pitfall="overlap",
        )
        check(
            call(WordBPETokenizer().learn_merge, {("z", "z", "z"): 1}),
            ({("zz", "z"): 1}, ("z", "z"), 2),
            idea="The two occurrences of z,z share the middle z, so only the left one is joined.",
            pitfall="overlap",
        )

    def test_symbols_may_be_any_characters(self):
        check(
            call(WordBPETokenizer().learn_merge, {("a", "\\"): 2, (".", "*"): 1}),
            ({("a\\",): 2, (".", "*"): 1}, ("a", "\\"), 2),
            idea="A backslash, a dot and a star are symbols like any others. self._merge does not interpret them.",
            pitfall="symbols",
        )

    def test_the_words_keep_their_order(self):
        outcome = call(WordBPETokenizer().learn_merge, {("x", "a", "b"): 2, ("y", "z"): 1, ("a", "b"): 2})
        check(
            outcome.seen_as(lambda step: list(step[0]), "the words in order"),
            [("x", "ab"), ("y", "z"), ("ab",)],
            idea="Which pair is seen first depends on the order of the words.",
            pitfall="ties",
        )

    @pytest.mark.parametrize("words", [{}, {("low_",): 5}], ids=["no word", "one symbol"])
    def test_without_a_pair_nothing_is_learned(self, words):
        outcome = call(with_merges([("a", "b")]).learn_merge, words)
        check(outcome, None, idea="There is nothing left to join.", pitfall="nothing-left")
        check(outcome.attribute("merges"), [("a", "b")], idea="And nothing is added to merges.", pitfall="nothing-left")

    def test_calls_are_independent(self):
        with independent_calls("learn_merge", with_merges([("a", "b")]), changes=("merges",)) as learn:
            learn({("l", "o", "w"): 5, ("l", "o"): 2}, gives=({("lo", "w"): 5, ("lo",): 2}, ("l", "o"), 7))
            learn({("n", "e", "w"): 3, ("n", "o"): 1}, gives=({("ne", "w"): 3, ("n", "o"): 1}, ("n", "e"), 3))


class TestTrain:
    """`train` is given and calls your `learn_merge`: the whole of training."""

    @pytest.mark.core
    def test_low_lower_lowest(self):
        check(
            call(WordBPETokenizer(end_of_word="_").train, LOW, num_merges=4),
            [(("l", "o"), 8), (("lo", "w"), 8), (("low", "_"), 5), (("low", "e"), 3)],
            idea="lo, low, low_, lowe: the example of the handout, with the counts.",
            pitfall="ties",
        )

    def test_merges_of_a_sentence(self):
        check(
            call(WordBPETokenizer().train, SENTENCE, num_merges=8),
            [
                (("t", "h"), 7),
                (("n", "e"), 7),
                (("w", "e"), 7),
                (("e", "</w>"), 6),
                (("th", "e</w>"), 5),
                (("r", "</w>"), 5),
                (("ne", "we"), 4),
                (("a", "n"), 4),
            ],
            idea="Every step takes the most frequent pair, and in a tie the one seen first.",
            pitfall="ties",
        )

    @pytest.mark.parametrize("corpus", ["", " \n ", {}], ids=["text", "whitespace", "words"])
    def test_an_empty_corpus_teaches_nothing(self, corpus):
        tokenizer = WordBPETokenizer()
        outcome = call(tokenizer.train, corpus, num_merges=10)
        check(outcome, [], idea="Without words there is no pair.", pitfall="nothing-left")
        assert tokenizer.vocab_size == 4

    def test_training_again_forgets_what_was_learned(self):
        tokenizer = WordBPETokenizer(end_of_word="_")
        call(tokenizer.train, {"high": 3}, num_merges=3).value
        outcome = call(tokenizer.train, LOW, num_merges=4)
        check(outcome.attribute("merges"), LOW_MERGES, idea="train starts from nothing.", pitfall="append")

    def test_no_merges_at_all(self):
        # Given: learn_merge is not called.
        tokenizer = WordBPETokenizer(end_of_word="_")
        assert tokenizer.train(LOW, num_merges=0) == []
        assert tokenizer.vocab_size == 12


class TestNextMerge:
    """`_next_merge`: which merge a word needs next."""

    @pytest.mark.core
    def test_the_pair_learned_first(self):
        # Position 0 is false in Python; code that takes it for no position finds another pair.
        symbols = ("l", "o", "w", "er", "s", "ting")
        learned = [("o", "w"), ("w", "er"), ("l", "o"), ("s", "ting"), ("er", "s")]
        for merges in (learned, learned[::-1]):
            check(
                call(with_merges(merges)._next_merge, symbols),
                merges[0],
                idea=f"All five pairs are in the word; {','.join(merges[0])} was learned first.",
                pitfall="merge-order",
                mistake="next_learned_last",
            )

    def test_symbols_that_are_not_neighbors(self):
        check(
            call(with_merges([("l", "w"), ("w", "e")])._next_merge, ("l", "o", "w", "e")),
            ("w", "e"),
            idea="l and w are both in the word, but o is between them.",
            pitfall="merge-order",
        )
        check(
            call(with_merges([("l", "o")])._next_merge, ("l", "lo", "o")),
            None,
            idea="l and o are in the word, and so is lo, but l and o are not neighbors.",
            pitfall="merge-order",
        )

    def test_a_symbol_that_occurs_twice(self):
        check(
            call(with_merges([("l", "o")])._next_merge, ("l", "w", "l", "o")),
            ("l", "o"),
            idea="The first l has a w after it, the second one an o.",
            pitfall="merge-order",
        )
        check(
            call(with_merges([("l", "o")])._next_merge, ("l", "o", "l", "w")),
            ("l", "o"),
            idea="The first l has an o after it, the second one a w.",
            pitfall="merge-order",
        )

    def test_symbols_that_only_look_like_a_pair(self):
        check(
            call(with_merges([("a", "b")])._next_merge, ("ca", "b")),
            None,
            idea="The symbols are 'ca' and 'b'.",
            pitfall="symbols",
        )

    def test_a_pair_whose_text_is_that_of_another(self):
        check(
            call(with_merges([("l", "ow"), ("w", "e"), ("lo", "w")])._next_merge, ("lo", "w", "e")),
            ("w", "e"),
            idea="l + ow and lo + w make the same text, but they are two pairs; lo + w was learned last.",
            pitfall="symbols",
        )

    @pytest.mark.parametrize("symbols", [("h", "i"), ("low_",), ()], ids=["no such pair", "one symbol", "no symbol"])
    def test_none_when_nothing_can_be_joined(self, symbols):
        check(call(with_merges(LOW_MERGES)._next_merge, symbols), None, idea="The word is done.", pitfall="no-merge")

    def test_none_until_something_was_learned(self):
        tokenizer = WordBPETokenizer()
        check(call(tokenizer._next_merge, ("l", "o")), None, idea="There is no merge at all.", pitfall="no-merge")
        tokenizer.merges = [("l", "o")]
        check(
            call(tokenizer._next_merge, ("l", "o")),
            ("l", "o"),
            idea="The tokenizer was trained between the two calls: its current merges count.",
            pitfall="no-merge",
        )

    def test_a_word_as_a_list(self):
        check(
            call(with_merges([("l", "o")])._next_merge, ["l", "o", "w"]),
            ("l", "o"),
            idea="The word may be any sequence of symbols; the pair is still a tuple.",
            pitfall="tuple",
        )

    def test_asking_changes_nothing(self):
        outcome = call(with_merges(LOW_MERGES)._next_merge, ("l", "o", "w"))
        check(outcome.attribute("merges"), LOW_MERGES, idea="Encoding must not change merges.", pitfall="append")

    def test_calls_are_independent(self):
        many = [(str(number), "x") for number in range(1000)]
        both = [with_merges([*many, *pairs]) for pairs in ((("a", "b"), ("b", "c")), (("b", "c"), ("c", "b")))]
        with independent_calls("_next_merge", *both) as next_merge:
            next_merge(["a", "b", "c"], gives=("a", "b"), then=("b", "c"))
            next_merge(["c", "b", "c"], gives=("b", "c"), then=("b", "c"))


class TestTokenize:
    """`tokenize` and `trace` are given, and ask your `_next_merge`."""

    MERGES = [("l", "o"), ("lo", "w"), ("e", "r"), ("low", "er")]

    @pytest.mark.core
    def test_every_state_of_lower(self):
        outcome = call(with_merges(self.MERGES).trace, "lower")
        check(
            outcome.seen_as(list, "the states"),
            [
                ["l", "o", "w", "e", "r", "_"],
                ["lo", "w", "e", "r", "_"],
                ["low", "e", "r", "_"],
                ["low", "er", "_"],
                ["lower", "_"],
            ],
            idea="Four merges fire, one after the other: five states.",
            pitfall="merge-order",
        )

    def test_the_trace_as_text(self):
        outcome = call(with_merges(self.MERGES).trace, "low")
        check(
            outcome.seen_as(str, "the trace as text"),
            "l o w _\nlo w _    l + o\nlow _     lo + w",
            idea="One state per line, and next to it the merge that led there.",
            pitfall="merge-order",
        )

    @pytest.mark.core
    def test_a_later_merge_waits_although_it_comes_first(self):
        check(
            call(with_merges([("b", "c"), ("a", "b")]).tokenize, "abc"),
            ["a", "bc", "_"],
            idea="b,c was learned first and takes the b.",
            pitfall="merge-order",
        )


class TestEncode:
    """`encode`: words to tokens, tokens to IDs."""

    def test_one_word(self):
        check(
            call(low().encode, "low"),
            [14],
            idea="low_ is one token, the third that was learned.",
            pitfall="special-tokens",
        )

    @pytest.mark.core
    def test_several_words(self):
        check(
            call(low().encode, "lowest low\nlower"),
            [15, 9, 10, 4, 14, 15, 8, 4],
            idea="lowe s t _, low_, lowe r _: the tokens of all words in one list.",
            pitfall="special-tokens",
        )

    @pytest.mark.parametrize("text", ["", " \n\t "], ids=["empty", "whitespace"])
    def test_a_text_without_words(self, text):
        check(call(low().encode, text), [], idea="No word, no token.", pitfall="special-tokens")

    def test_special_tokens_go_around_the_text(self):
        check(
            call(low().encode, "low low", add_special_tokens=True),
            [2, 14, 14, 3],
            idea="[BOS] is 2 and [EOS] is 3; they go around the whole text, not around each word.",
            pitfall="special-tokens",
        )

    def test_special_tokens_around_nothing(self):
        check(
            call(low().encode, "", add_special_tokens=True),
            [2, 3],
            idea="An empty text begins and ends as well.",
            pitfall="special-tokens",
        )

    def test_special_tokens_with_other_ids(self):
        tokenizer = low(special_tokens=["[EOS]", "[BOS]", "[UNK]"])
        check(
            call(tokenizer.encode, "low", add_special_tokens=True),
            [1, 13, 0],
            idea="Here [EOS] is 0 and [BOS] is 1: look them up in token_to_id.",
            pitfall="special-tokens",
        )

    def test_special_tokens_with_other_names(self):
        tokenizer = low(special_tokens=["<s>", "</s>", "<unk>"], unk_token="<unk>", bos_token="<s>", eos_token="</s>")
        check(
            call(tokenizer.encode, "low!", add_special_tokens=True),
            [0, 12, 2, 3, 1],
            idea="low is 12, the ! is unknown (<unk> is 2), _ is 3; self.bos_token and self.eos_token are the names.",
            pitfall="special-tokens",
        )

    @pytest.mark.parametrize(
        "options",
        [{"special_tokens": ["[UNK]", "[BOS]"]}, {"special_tokens": ["[UNK]", "[EOS]"]}, {"bos_token": None}],
        ids=["no EOS", "no BOS", "no name for BOS"],
    )
    def test_special_tokens_that_do_not_exist_cannot_be_added(self, options):
        check_raises(
            call(low(**options).encode, "low", add_special_tokens=True),
            ValueError,
            idea="They were requested but do not exist, so raise an error.",
            pitfall="special-tokens",
        )

    def test_every_unknown_symbol_is_one_unknown_token(self):
        check(
            call(low().encode, "LOW low"),
            [1, 1, 1, 4, 14],
            idea="L, O and W do not occur in the corpus: capitals are other symbols.",
            pitfall="unknown-token",
        )

    @pytest.mark.parametrize("options", [{"special_tokens": []}, {"unk_token": None}], ids=["no tokens", "no name"])
    def test_without_an_unknown_token_an_unknown_symbol_is_an_error(self, options):
        check_raises(
            call(low(**options).encode, "slow?"),
            ValueError,
            saying="?",
            idea="A token without an ID cannot be encoded; the message names it.",
            pitfall="unknown-token",
        )

    def test_without_an_unknown_token_known_symbols_are_not_an_error(self):
        check(
            call(low(special_tokens=[]).encode, "slow"),
            [5, 10],
            idea="s and low_ are both in the vocabulary.",
            pitfall="unknown-token",
        )

    def test_a_token_with_id_0_is_known(self):
        tokenizer = WordBPETokenizer(special_tokens=[], end_of_word=None)
        tokenizer._set_tokens("ab")
        check(
            call(tokenizer.encode, "ab ba"), [0, 1, 1, 0], idea="0 is false, but it is an ID.", pitfall="unknown-token"
        )
        check(
            call(low(special_tokens=["[UNK]"]).encode, "!"),
            [0, 1],
            idea="The unknown token has the ID 0 here, an ID like any other.",
            pitfall="unknown-token",
        )

    def test_a_word_that_is_a_token_is_merged_like_any_other(self):
        tokenizer = with_merges([("a", "b"), ("b", "c"), ("a", "bc")], "abc", end_of_word=None)
        check(
            call(tokenizer.encode, "abc"),
            [7, 6],
            idea="abc is a token, but a,b was learned before the b,c that it is made with: the result is ab and c.",
            pitfall="merge-order",
        )

    def test_what_has_been_learned_since_is_used(self):
        tokenizer = WordBPETokenizer(end_of_word="_")
        tokenizer.train({"low": 1}, num_merges=0)
        call(tokenizer.encode, "low").value
        tokenizer.train({"low": 1}, num_merges=1)
        check(
            call(tokenizer.encode, "low"),
            [tokenizer.token_to_id[token] for token in ("lo", "w", "_")],
            idea="Between two calls a tokenizer can be trained again.",
            pitfall="merge-order",
        )

    def test_text_that_looks_like_a_special_token_is_plain_text(self):
        tokenizer = with_merges([], ["<", "s", ">"], special_tokens=["<s>"])
        check(
            call(tokenizer.encode, "<s>"),
            [tokenizer.token_to_id[symbol] for symbol in ("<", "s", ">", "_")],
            idea="A special token is not looked for in a text: its characters are symbols like any others.",
            pitfall="special-tokens",
        )

    def test_what_is_not_text_is_refused(self):
        check_raises(
            call(low().encode, b"low"),
            TypeError,
            saying="str",
            idea="self._words(text) checks that it is text.",
            pitfall="special-tokens",
        )

    def test_calls_are_independent(self):
        with independent_calls("encode", with_merges([("a", "b")], "abc"), with_merges([("b", "c")], "abc")) as encode:
            encode("abc", add_special_tokens=True, gives=[2, 8, 7, 4, 3], then=[2, 5, 8, 4, 3])
            encode("abc", gives=[8, 7, 4], then=[5, 8, 4])
            encode("xab", gives=[1, 8, 4], then=[1, 5, 6, 4])


class TestRoundTrip:
    """All together. `decode` is given."""

    @examples
    @given(text=st.text(alphabet=st.sampled_from("ab.7\\</w>[UNK]é你 "), max_size=40), merges=st.integers(0, 20))
    def test_any_words_come_back(self, text, merges):
        tokenizer = WordBPETokenizer(end_of_word="_")
        call(tokenizer.train, text, num_merges=merges).value
        words = " ".join(text.split())
        check(
            call(tokenizer.decode, call(tokenizer.encode, text).value),
            words,
            idea="Punctuation, digits, letters of any script: every word of the corpus comes back.",
            pitfall="symbols",
        )

    @examples
    @given(words=st.lists(st.text(alphabet="abc", min_size=1, max_size=6), max_size=6))
    def test_unseen_words_over_the_alphabet_come_back(self, words):
        tokenizer = WordBPETokenizer()
        call(tokenizer.train, "abc cab bca abcabc", num_merges=6).value
        check(
            call(tokenizer.decode, call(tokenizer.encode, " ".join(words)).value),
            " ".join(words),
            idea="A word that was never seen falls into pieces, and the pieces make the word.",
            pitfall="merge-order",
        )

    def test_special_tokens_are_shown_or_skipped(self):
        tokenizer = low()
        ids = call(tokenizer.encode, "low lower", add_special_tokens=True).value
        check(call(tokenizer.decode, ids), "[BOS] low lower [EOS]", idea="They go around the text.")
        check(
            call(tokenizer.decode, ids, skip_special_tokens=True),
            "low lower",
            idea="They are left out on request.",
            pitfall="special-tokens",
        )

    def test_without_a_marker_the_spaces_are_lost(self):
        tokenizer = WordBPETokenizer(end_of_word=None)
        call(tokenizer.train, LOW, num_merges=3).value
        check(
            call(tokenizer.decode, call(tokenizer.encode, "low lower").value),
            "lowlower",
            idea="Nothing shows where a word ends.",
            pitfall="symbols",
        )

    def test_ids_in_an_array(self):
        # Given.
        import numpy as np

        assert low().decode(np.array([14, 15, 8, 4])) == "low lower"

    def test_an_id_that_does_not_exist_is_named(self):
        # Given.
        with pytest.raises(ValueError, match="99"):
            low().decode([14, 99])
