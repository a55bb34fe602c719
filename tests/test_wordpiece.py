"""Tests of module 04f, WordPiece. Work through them from top to bottom:

    1. TestGiven                  passes already: the parts that are given
    2. TestPairScores             write pair_scores
    3. TestLearnPiece, TestTrain  write learn_piece
    4. TestLongestMatch           write longest_match
    5. TestEncode                 write encode
    6. TestTogether               needs all four

One group at a time, stopping at the first failure:

    pytest tests/test_wordpiece.py -x -k TestPairScores
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach.teaching import call, check, check_raises, examples
from coach.testing.again import independent_calls
from g2c.tokenizer import WordPieceTokenizer
from g2c.tokenizer.wordpiece import BERT_SPECIAL_TOKENS

pytestmark = pytest.mark.student("04f")

LOW = {
    ("l", "##o", "##w"): 5,
    ("l", "##o", "##w", "##e", "##r"): 2,
    ("l", "##o", "##w", "##e", "##s", "##t"): 1,
}
"""The corpus of the handout: words as symbols, with their frequencies."""

SMALL = ["[UNK]", "[CLS]", "[SEP]", "un", "una", "##able", "##ble", "##s", "a", "##a", "!", "low", "##er"]


def small(**options) -> WordPieceTokenizer:
    """A tokenizer whose vocabulary is entered by hand: what a test of encoding needs, without training."""
    return WordPieceTokenizer(SMALL, **options)


class TestGiven:
    """The given part. These tests pass before anything is written."""

    def test_a_fresh_tokenizer_knows_the_special_tokens_of_bert(self):
        assert WordPieceTokenizer().token_to_id == {"[PAD]": 0, "[UNK]": 1, "[CLS]": 2, "[SEP]": 3, "[MASK]": 4}

    def test_the_order_of_the_vocabulary_gives_the_ids(self):
        assert small().id_to_token[5] == "##able"

    @pytest.mark.parametrize(
        ("text", "words"),
        [
            ("Low, lower.", ["low", ",", "lower", "."]),
            ("Café  NAÏVE", ["cafe", "naive"]),
            ("don't\n$5", ["don", "'", "t", "$", "5"]),
            ("\u4f60\u597d", ["\u4f60", "\u597d"]),
            ("a\x00b\u200bc", ["abc"]),
            ("", []),
        ],
        ids=["punctuation", "accents", "quotes", "chinese", "control", "empty"],
    )
    def test_a_text_is_split_into_words_as_bert_does_it(self, text, words):
        assert WordPieceTokenizer()._words(text) == words

    def test_without_lowercase_capitals_and_accents_stay(self):
        assert WordPieceTokenizer(lowercase=False)._words("Café") == ["Café"]

    @pytest.mark.parametrize("vocab", [[], ["a", "b"]], ids=["none", "others"])
    def test_a_vocabulary_without_the_unknown_token_is_refused(self, vocab):
        with pytest.raises(ValueError, match=r"no unknown token '\[UNK\]'"):
            WordPieceTokenizer(vocab)

    @pytest.mark.parametrize("token", ["", "a", "\ud800"], ids=["empty", "twice", "surrogate"])
    def test_a_bad_token_is_refused(self, token):
        with pytest.raises(ValueError, match="empty|twice|lone surrogate"):
            WordPieceTokenizer(["[UNK]", "a", token])

    def test_decode_joins_what_continues_a_word(self):
        assert small().decode([11, 12, 10, 0]) == "lower ! [UNK]"
        assert small().decode([1, 11, 0, 2], skip_special_tokens=True) == "low"

    def test_decode_names_an_id_that_is_not_in_the_vocabulary(self):
        with pytest.raises(ValueError, match="no token with ID 99"):
            small().decode([99])


class TestPairScores:
    """`pair_scores`: how often a pair occurs, in relation to its two symbols."""

    @pytest.mark.core
    def test_one_word(self):
        check(
            call(WordPieceTokenizer().pair_scores, {("l", "##o"): 1}),
            {("l", "##o"): 1.0},
            idea="Pair and symbols occur once each: 1 / (1 * 1).",
            pitfall="score",
        )

    @pytest.mark.core
    def test_the_last_symbol_of_a_word_counts(self):
        check(
            call(WordPieceTokenizer().pair_scores, {("a", "##b", "##c"): 1, ("d", "##b"): 3}),
            {("a", "##b"): 0.25, ("##b", "##c"): 0.25, ("d", "##b"): 0.25},
            idea="##b ends the second word three times; with the first word it occurs four times.",
            pitfall="symbol-count",
        )

    @pytest.mark.core
    def test_both_symbols_count(self):
        check(
            call(WordPieceTokenizer().pair_scores, {("l", "##o"): 2, ("l", "##a"): 6, ("n", "##o"): 2}),
            {("l", "##o"): 2 / 32, ("l", "##a"): 6 / 48, ("n", "##o"): 2 / 8},
            idea="l occurs 8 times, ##o 4 times, ##a 6 times, n twice.",
            pitfall="score",
        )

    def test_a_word_of_one_symbol_counts(self):
        check(
            call(WordPieceTokenizer().pair_scores, {("a",): 3, ("a", "##b"): 1}),
            {("a", "##b"): 0.25},
            idea="a occurs four times, three of them as a separate word.",
            pitfall="symbol-count",
            mistake="scores_skip_short_words",
        )

    def test_equal_neighbors(self):
        check(
            call(WordPieceTokenizer().pair_scores, {("h", "##m", "##m", "##m"): 2}),
            {("h", "##m"): 2 / 12, ("##m", "##m"): 4 / 36},
            idea="##m occurs six times in all; the pair of ##m and ##m has two places in the word, which overlap.",
            pitfall="symbol-count",
        )

    def test_a_beginning_is_not_a_continuation(self):
        check(
            call(WordPieceTokenizer().pair_scores, {("a", "##a"): 1, ("a",): 1, ("A",): 1}),
            {("a", "##a"): 0.5},
            idea="a occurs twice, ##a once: two different symbols, and A is a third.",
            pitfall="symbol-count",
        )
        check(
            call(WordPieceTokenizer().pair_scores, {("a", "##bc"): 1, ("ab", "##c"): 1}),
            {("a", "##bc"): 1.0, ("ab", "##c"): 1.0},
            idea="Both pairs would become abc, but they are two pairs: each occurs once.",
            pitfall="symbol-count",
        )

    @pytest.mark.parametrize("words", [{}, {("a",): 3}], ids=["none", "one symbol"])
    def test_words_without_a_pair(self, words):
        check(call(WordPieceTokenizer().pair_scores, words), {}, idea="A pair needs two symbols.", pitfall="score")

    def test_the_pairs_are_in_order_of_first_appearance(self):
        outcome = call(WordPieceTokenizer().pair_scores, {("t", "##h"): 3, ("t", "##o"): 1, ("q", "##u"): 1})
        check(
            outcome.seen_as(list, "the order of the keys"),
            [("t", "##h"), ("t", "##o"), ("q", "##u")],
            idea="In a tie, learn_piece takes the pair seen first, which it finds by the order of the dictionary.",
            pitfall="ties",
        )

    def test_equal_scores_are_equal_floats(self):
        # As floats, 1 / 3 / 11 and 1 / 11 / 3 differ in the last bit.
        words = {("a", "##b"): 1, ("a",): 2, ("x", "##b"): 10, ("c", "##d"): 1, ("c",): 10, ("y", "##d"): 2}
        outcome = call(WordPieceTokenizer().pair_scores, words)
        check(
            outcome.seen_as(lambda scores: scores["a", "##b"] == scores["c", "##d"], "(a, ##b) == (c, ##d)"),
            True,
            idea="1 / (3 * 11) and 1 / (11 * 3): multiply the two counts first, then divide once.",
            pitfall="ties",
        )
        check(
            outcome.seen_as(lambda scores: [n for n in scores.values() if not isinstance(n, float)], "not floats"),
            [],
            idea="A score is a float, which / makes of two counts.",
            pitfall="score",
        )

    def test_the_counts_of_all_words_are_added_before_the_division(self):
        # As floats, 1 / 105 + 1 / 105 + 1 / 105 and 3 / 105 differ in the last bit.
        spread = {("a", "##b"): 1, ("a", "##b", "##x"): 1, ("a", "##b", "##y"): 1, ("a",): 32}
        outcome = call(WordPieceTokenizer().pair_scores, {**spread, ("c", "##d"): 3, ("c",): 32})
        check(
            outcome.seen_as(lambda scores: scores["a", "##b"] == scores["c", "##d"], "(a, ##b) == (c, ##d)"),
            True,
            idea="Both pairs occur three times, and so do ##b and ##d: both scores are 3 / (35 * 3).",
            pitfall="ties",
        )

    def test_calls_are_independent(self):
        with independent_calls("pair_scores", small()) as scores:
            scores({("a", "##b"): 6, ("a", "##c"): 2}, gives={("a", "##b"): 1 / 8, ("a", "##c"): 1 / 8})
            scores({("a", "##b"): 1, ("a", "##c"): 2}, gives={("a", "##b"): 1 / 3, ("a", "##c"): 1 / 3})


class TestLearnPiece:
    """`learn_piece`: one token."""

    @pytest.mark.core
    def test_the_pair_with_the_highest_score(self):
        check(
            call(WordPieceTokenizer().learn_piece, dict(LOW)),
            (
                {
                    ("l", "##o", "##w"): 5,
                    ("l", "##o", "##w", "##e", "##r"): 2,
                    ("l", "##o", "##w", "##e", "##st"): 1,
                },
                ("##s", "##t"),
                1.0,
            ),
            idea="##s,##t has the score 1, all others less. BPE would take l,##o, which occurs eight times.",
            pitfall="score",
            mistake="learn_most_frequent_pair",
        )

    @pytest.mark.core
    def test_the_joined_symbol_is_added_to_the_vocabulary(self):
        outcome = call(WordPieceTokenizer().learn_piece, dict(LOW))
        check(
            outcome.attribute("token_to_id"),
            {token: number for number, token in enumerate([*BERT_SPECIAL_TOKENS, "##st"])},
            idea="The new token has the next ID; all others keep theirs.",
            pitfall="vocabulary",
        )

    def test_the_inverse_of_the_vocabulary_agrees(self):
        outcome = call(WordPieceTokenizer().learn_piece, {("c", "####"): 5})
        check(
            outcome.attribute("id_to_token"),
            dict(enumerate([*BERT_SPECIAL_TOKENS, "c##"])),
            idea="self._add_token adds the token to both tables.",
            pitfall="vocabulary",
        )

    def test_a_token_that_exists_keeps_its_id(self):
        outcome = call(WordPieceTokenizer(["[UNK]", "lo", "a"]).learn_piece, {("l", "##o"): 5})
        check(
            outcome,
            ({("lo",): 5}, ("l", "##o"), 1 / 5),
            idea="Two pairs can make one token, such as a + ##bc and ab + ##c. Both are learned.",
            pitfall="vocabulary",
        )
        check(
            outcome.attribute("token_to_id"),
            {"[UNK]": 0, "lo": 1, "a": 2},
            idea="self._add_token checks whether the token already exists.",
            pitfall="vocabulary",
        )

    def test_the_pair_is_joined_wherever_it_occurs_in_a_word(self):
        check(
            call(WordPieceTokenizer().learn_piece, {("x", "##a", "##b", "##a", "##b"): 1, ("x", "##y"): 9}),
            ({("x", "##ab", "##ab"): 1, ("x", "##y"): 9}, ("##a", "##b"), 0.5),
            idea="The word contains ##a,##b twice, and both places are joined.",
            pitfall="words-back",
        )

    def test_in_a_tie_the_pair_seen_first_wins(self):
        check(
            call(
                WordPieceTokenizer().learn_piece, {("m", "##e"): 3, ("w", "##o"): 3, ("a", "##n"): 3, ("s", "##t"): 3}
            ),
            ({("me",): 3, ("w", "##o"): 3, ("a", "##n"): 3, ("s", "##t"): 3}, ("m", "##e"), 1 / 3),
            idea="All four scores are 3 / 9. m,##e was seen first.",
            pitfall="ties",
        )

    def test_in_a_tie_neither_length_nor_count_decides(self):
        check(
            call(
                WordPieceTokenizer().learn_piece, {("wo", "##rd"): 2, ("wo",): 1, ("un", "##able"): 3, ("m", "##e"): 3}
            ),
            ({("word",): 2, ("wo",): 1, ("un", "##able"): 3, ("m", "##e"): 3}, ("wo", "##rd"), 1 / 3),
            idea="2 / (3 * 2) is 3 / (3 * 3). wo,##rd was seen first; other pairs are shorter or more frequent.",
            pitfall="ties",
        )

    @pytest.mark.parametrize("words", [{}, {("low",): 5}], ids=["no word", "one symbol"])
    def test_without_a_pair_nothing_is_learned(self, words):
        outcome = call(WordPieceTokenizer().learn_piece, words)
        check(outcome, None, idea="Every word is one symbol: training is over.", pitfall="nothing-left")
        check(
            outcome.attribute("token_to_id").seen_as(list, "the tokens"),
            list(BERT_SPECIAL_TOKENS),
            idea="Without a pair, no token is added.",
            pitfall="nothing-left",
        )

    @pytest.mark.core
    def test_words_without_the_pair_stay(self):
        outcome = call(WordPieceTokenizer().learn_piece, {("a",): 2, ("l", "##o"): 1, ("b", "##a", "##b", "##a"): 1})
        check(
            outcome.seen_as(lambda result: list(result[0].items()), "the words that came back"),
            [(("a",), 2), (("lo",), 1), (("b", "##a", "##b", "##a"), 1)],
            idea="Return all words, in their order and with their frequencies.",
            pitfall="words-back",
        )

    def test_a_symbol_is_compared_as_a_whole(self):
        check(
            call(WordPieceTokenizer().learn_piece, {("l", "##o"): 1, ("l", "##ow"): 1}),
            ({("lo",): 1, ("l", "##ow"): 1}, ("l", "##o"), 1 / 2),
            idea="##ow begins with ##o but is another symbol, so the second word does not contain the pair.",
            pitfall="words-back",
        )

    def test_calls_are_independent(self):
        tables = ("token_to_id", "id_to_token")
        with independent_calls("learn_piece", WordPieceTokenizer(), small(), changes=tables) as learn:
            learned = {("lo",): 9, ("l", "##a"): 1}, ("l", "##o"), 0.1
            learn({("l", "##o"): 9, ("l", "##a"): 1}, gives=learned, then=learned)
            learned = {("l", "##o"): 9, ("aw",): 1}, ("a", "##w"), 1.0
            learn({("l", "##o"): 9, ("a", "##w"): 1}, gives=learned, then=learned)


class TestTrain:
    """The given loop around your `learn_piece`."""

    def test_the_corpus_of_the_handout(self):
        check(
            call(WordPieceTokenizer().train, {"low": 5, "lower": 2, "lowest": 1}, 15),
            [(("##s", "##t"), 1.0), (("##e", "##r"), 1 / 3), (("##e", "##st"), 1.0)],
            idea="##e,##r is seen before ##e,##st, which has the same score; then every ##e left is before ##st.",
            pitfall="score",
        )

    def test_the_vocabulary_is_special_tokens_then_characters_then_what_was_learned(self):
        outcome = call(WordPieceTokenizer().train, {"low": 5, "lower": 2}, 12)
        check(
            outcome.attribute("token_to_id").seen_as(list, "the tokens in their order"),
            [*BERT_SPECIAL_TOKENS, "##e", "##o", "##r", "##w", "l", "##er", "lo"],
            idea="Each step adds one token after the others.",
            pitfall="vocabulary",
        )


class TestLongestMatch:
    """`longest_match`: the tokens of one word."""

    @pytest.mark.core
    def test_a_whole_word(self):
        check(call(small().longest_match, "low"), ["low"], idea="The word itself is a token.", pitfall="greedy")

    @pytest.mark.core
    def test_a_token_that_begins_words_does_not_continue_them(self):
        check(
            call(small().longest_match, "alow"),
            ["[UNK]"],
            idea="low is in the vocabulary, ##low is not.",
            pitfall="prefix",
        )

    @pytest.mark.core
    def test_the_longest_beginning(self):
        check(
            call(small().longest_match, "unable"),
            ["una", "##ble"],
            idea="una is longer than un, so un + ##able is not found.",
            pitfall="greedy",
        )
        check(
            call(WordPieceTokenizer(["[UNK]", "a", "abcd", "##b", "##c"]).longest_match, "abc"),
            ["a", "##b", "##c"],
            idea="abcd begins like the word, but a is the longest token that the word begins with.",
            pitfall="greedy",
        )

    @pytest.mark.core
    def test_the_token_with_id_0(self):
        check(
            call(WordPieceTokenizer(["low", "[UNK]", "l", "##ow"]).longest_match, "low"),
            ["low"],
            idea="low has the ID 0, which is an ID like any other.",
            pitfall="greedy",
        )

    def test_a_token_may_be_one_character(self):
        check(
            call(small().longest_match, "unables"),
            ["una", "##ble", "##s"],
            idea="After una and ##ble, one character is left, and ##s is a token.",
            pitfall="greedy",
        )

    @pytest.mark.parametrize(("word", "tokens"), [("c#", ["c", "###"]), ("cd", ["[UNK]"])], ids=["c#", "cd"])
    def test_a_token_may_be_the_character_of_the_prefix(self, word, tokens):
        check(
            call(WordPieceTokenizer(["[UNK]", "c", "#", "###"]).longest_match, word),
            tokens,
            idea="### is ## and the character #. The ## in front of a candidate is not part of the word.",
            pitfall="prefix",
        )

    def test_the_prefix_alone_stands_for_nothing(self):
        check(
            call(WordPieceTokenizer(["[UNK]", "a", "##"]).longest_match, "ab"),
            ["[UNK]"],
            idea="The token ## has no character of the word, so it leads no further.",
            pitfall="prefix",
        )

    def test_a_token_that_continues_words_does_not_begin_them(self):
        check(
            call(small().longest_match, "er"),
            ["[UNK]"],
            idea="##er only continues words, and no token begins with e.",
            pitfall="prefix",
        )

    def test_there_is_no_second_try(self):
        tokenizer = WordPieceTokenizer(["[UNK]", "un", "una", "##ab"])
        check(
            call(tokenizer.longest_match, "unab"),
            ["[UNK]"],
            idea="una is the longest beginning, and nothing continues it with b. un + ##ab is not tried.",
            pitfall="whole-word",
        )
        check(
            call(small().longest_match, "zs"),
            ["[UNK]"],
            idea="No token begins with z, so the whole word is unknown, although ##s would fit later.",
            pitfall="whole-word",
        )

    def test_a_word_of_the_maximum_length_is_split(self):
        check(
            call(small(max_input_chars_per_word=3).longest_match, "low"),
            ["low"],
            idea="Three characters are not more than three.",
            pitfall="too-long",
        )

    def test_a_word_that_is_too_long_is_unknown_although_it_is_a_token(self):
        check(
            call(small(max_input_chars_per_word=2).longest_match, "low"),
            ["[UNK]"],
            idea="Three characters are more than two: the word is not looked up.",
            pitfall="too-long",
        )

    def test_characters_are_counted_and_not_bytes(self):
        tokenizer = WordPieceTokenizer(["[UNK]", "\u00fc", "##👋", "##\u00df"], max_input_chars_per_word=3)
        check(
            call(tokenizer.longest_match, "\u00fc👋\u00df"),
            ["\u00fc", "##👋", "##\u00df"],
            idea="Three characters, although they are eight bytes in UTF-8.",
            pitfall="too-long",
        )

    def test_the_word_is_taken_as_it_is(self):
        vocab = ["Low", "[UNK]", "low", "##e\u0301", "##e", "##\u00e9"]
        check(
            call(WordPieceTokenizer(vocab, lowercase=False).longest_match, "Lowe\u0301"),
            ["Low", "##e\u0301"],
            idea="self._words has already decided about capitals and accents.",
            pitfall="greedy",
        )
        check(
            call(WordPieceTokenizer(vocab).longest_match, "LOW"),
            ["[UNK]"],
            idea="low and LOW are different words, and LOW, LO and L are not tokens.",
            pitfall="greedy",
        )

    def test_tokens_added_since_the_last_call_are_used(self):
        tokenizer = WordPieceTokenizer(["[UNK]", "a", "##b"])
        call(tokenizer.longest_match, "ab").value.append("##c")
        tokenizer._add_token("ab")
        check(
            call(tokenizer.longest_match, "ab"),
            ["ab"],
            idea="The current vocabulary counts, and each call returns a new list.",
            pitfall="greedy",
        )

    @pytest.mark.parametrize("word", ["z", "aaaa"], ids=["nothing fits", "too long"])
    def test_another_unknown_token(self, word):
        # A word of more characters than are allowed is not looked up, although the vocabulary has it.
        tokenizer = WordPieceTokenizer(["<unk>", "a", "##a", "aaaa"], unk_token="<unk>", max_input_chars_per_word=3)
        check(
            call(tokenizer.longest_match, word),
            ["<unk>"],
            idea="The token is self.unk_token, whatever it is called.",
            pitfall="whole-word",
        )

    def test_calls_are_independent(self):
        long = "z" * 99
        both = [WordPieceTokenizer(["[UNK]", "a", "##b", "##c", token, long]) for token in ("ab", "##bc")]
        with independent_calls("longest_match", *both) as match:
            match("abc", gives=["ab", "##c"], then=["a", "##bc"])
            match("abb", gives=["ab", "##b"], then=["a", "##b", "##b"])
            match(long, gives=[long], then=[long])


class TestEncode:
    """`encode`: from a text to IDs."""

    @pytest.mark.core
    def test_words_become_ids(self):
        check(
            call(small().encode, "low lower"),
            [11, 11, 12],
            idea="low has the ID 11, ##er the ID 12.",
            pitfall="special-tokens",
        )

    @pytest.mark.core
    def test_punctuation_and_capitals(self):
        check(
            call(small().encode, "Low!"),
            [11, 10],
            idea="self._words lowercases the text and splits off the punctuation.",
            pitfall="special-tokens",
        )

    def test_with_other_options(self):
        vocab = ["Low", "<unk>", "low", "##e\u0301"]
        check(
            call(WordPieceTokenizer(vocab, unk_token="<unk>", lowercase=False).encode, "Lowe\u0301 LOW"),
            [0, 3, 1],
            idea="self._words keeps capitals and accents here, so LOW is unknown: the ID of <unk> is 1.",
            pitfall="special-tokens",
        )

    @pytest.mark.core
    def test_an_unknown_word(self):
        check(
            call(small().encode, "low zoo low"),
            [11, 0, 11],
            idea="longest_match returns the unknown token for zoo, which has an ID like any other.",
            pitfall="whole-word",
        )
        check(
            call(small().encode, "low lowz low"),
            [11, 0, 11],
            idea="low begins lowz, but no token continues it with z: longest_match returns the unknown token alone.",
            pitfall="whole-word",
        )

    def test_a_word_that_is_too_long(self):
        check(
            call(WordPieceTokenizer(["[UNK]", "low", "##er"], max_input_chars_per_word=4).encode, "lower low"),
            [0, 1],
            idea="lower has more than four characters, so longest_match does not split it.",
            pitfall="too-long",
        )
        tokenizer = WordPieceTokenizer(["[UNK]", "low", "[CLS]", "[SEP]"], max_input_chars_per_word=4)
        check(
            call(tokenizer.encode, "low", add_special_tokens=True),
            [2, 1, 3],
            idea="[CLS] has more than four characters too, but it is no word of the text: look it up in token_to_id.",
            pitfall="special-tokens",
        )

    def test_text_that_looks_like_a_special_token_is_plain_text(self):
        check(
            call(small().encode, "low [SEP]"),
            [11, 0, 0, 0],
            idea="[SEP] in a text is a bracket, a word and a bracket, and none of the three is in this vocabulary.",
            pitfall="special-tokens",
        )

    @pytest.mark.parametrize("text", ["", "  \n"], ids=["empty", "whitespace"])
    def test_a_text_without_words(self, text):
        check(call(small().encode, text), [], idea="No word, no ID.", pitfall="special-tokens")

    def test_special_tokens_on_request(self):
        check(
            call(small().encode, "low lower", add_special_tokens=True),
            [1, 11, 11, 12, 2],
            idea="[CLS] once before the text, [SEP] once after it.",
            pitfall="special-tokens",
        )

    def test_special_tokens_around_nothing(self):
        check(
            call(small().encode, "", add_special_tokens=True),
            [1, 2],
            idea="An empty text has a beginning and an end.",
            pitfall="special-tokens",
        )

    def test_the_ids_depend_on_the_vocabulary(self):
        tokenizer = WordPieceTokenizer(["a", "[SEP]", "[UNK]", "[CLS]"])
        check(
            call(tokenizer.encode, "a", add_special_tokens=True),
            [3, 0, 1],
            idea="Look up the IDs: here [CLS] is 3 and [SEP] is 1.",
            pitfall="special-tokens",
        )
        for vocab, ids in (
            (["[CLS]", "[SEP]", "[UNK]", "a"], [0, 3, 1]),
            (["[SEP]", "[CLS]", "[UNK]", "a"], [1, 3, 0]),
        ):
            check(
                call(WordPieceTokenizer(vocab).encode, "a", add_special_tokens=True),
                ids,
                idea="0 is an ID like any other: ask whether the token is in token_to_id.",
                pitfall="special-tokens",
            )

    @pytest.mark.parametrize("missing", ["[CLS]", "[SEP]"], ids=["CLS", "SEP"])
    def test_a_special_token_that_is_missing(self, missing):
        vocab = [token for token in ("[UNK]", "[CLS]", "[SEP]", "a") if token != missing]
        check_raises(
            call(WordPieceTokenizer(vocab).encode, "a", add_special_tokens=True),
            ValueError,
            saying=missing,
            idea="It was requested but does not exist, so raise a ValueError that names it.",
            pitfall="special-tokens",
        )

    def test_nothing_is_missing_when_nothing_is_asked_for(self):
        check(
            call(WordPieceTokenizer(["[UNK]", "a"]).encode, "a"),
            [1],
            idea="Without add_special_tokens neither [CLS] nor [SEP] is needed.",
            pitfall="special-tokens",
        )

    def test_a_lone_surrogate_is_refused(self):
        check_raises(
            call(small().encode, "low\ud800"),
            ValueError,
            saying="surrogate",
            idea="self._words raises this error; let it pass.",
            pitfall="special-tokens",
        )

    def test_calls_are_independent(self):
        with independent_calls("encode", small(), WordPieceTokenizer(SMALL[::-1])) as encode:
            encode("low un", add_special_tokens=True, gives=[1, 11, 3, 2], then=[11, 1, 9, 10])
            encode("low un", gives=[11, 3], then=[1, 9])
            encode("un low", gives=[3, 11], then=[9, 1])


class TestTogether:
    """All exercises together."""

    @pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")
    @examples
    @given(words=st.lists(st.text(alphabet="abc", min_size=1, max_size=6), min_size=1, max_size=8))
    def test_every_word_of_the_corpus_can_be_encoded_and_decoded(self, words):
        text = " ".join(words)
        tokenizer = WordPieceTokenizer()
        call(tokenizer.train, text, 5 + len({*"abc"}) * 2 + 3).value
        ids = call(tokenizer.encode, text).value
        check(
            call(tokenizer.decode, ids),
            text,
            idea="All characters of the corpus are in the vocabulary, so none of it is unknown.",
            pitfall="whole-word",
        )
