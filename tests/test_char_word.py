"""Tests of module 04a, tokenizers for characters and words. Work through them from top to bottom:

    1. TestConstruction   passes already: the parts that are given
    2. TestBuildVocab     write CharTokenizer.build_vocab
    3. TestEncode         write CharTokenizer.encode
    4. TestDecode         write CharTokenizer.decode
    5. TestSplit          write WordTokenizer._split
    6. TestJoin           write WordTokenizer._join
    7. TestRoundTrip, TestWordTokenizer   need all five

One group at a time, stopping at the first failure:

    pytest tests/test_char_word.py -x -k TestBuildVocab
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach.teaching import call, check, check_raises, check_that, examples
from coach.testing.again import independent_calls
from g2c.tokenizer import CharTokenizer, WordTokenizer

pytestmark = pytest.mark.student("04a")

HELLO = [" ", "d", "e", "h", "l", "o", "r", "w"]
"""The vocabulary of "hello world": its eight different characters, sorted."""


def with_vocabulary(symbols, unk_token=None, kind=CharTokenizer):
    """A tokenizer with this vocabulary, entered by hand: what a test of `encode` needs, without `build_vocab`."""
    tokenizer = kind(unk_token)
    known = [*tokenizer.token_to_id, *symbols]
    tokenizer.token_to_id = {symbol: token_id for token_id, symbol in enumerate(known)}
    tokenizer.id_to_token = dict(enumerate(known))
    return tokenizer


def built_from(text, unk_token=None, kind=CharTokenizer):
    """A tokenizer whose vocabulary your `build_vocab` made."""
    tokenizer = kind(unk_token)
    call(tokenizer.build_vocab, text).value
    return tokenizer


class TestConstruction:
    """The given part. These tests pass before anything is written: they show the state that your methods work on."""

    def test_a_fresh_tokenizer_knows_no_symbol_and_no_unknown_token(self):
        assert CharTokenizer().token_to_id == {}
        assert CharTokenizer().id_to_token == {}
        assert CharTokenizer().vocab_size == 0
        assert CharTokenizer().unk_token is None

    def test_an_unknown_token_has_id_0_from_the_start(self):
        assert CharTokenizer("[UNK]").token_to_id == {"[UNK]": 0}
        assert CharTokenizer(unk_token="[UNK]").id_to_token == {0: "[UNK]"}
        assert with_vocabulary(HELLO, "[UNK]").vocab_size == 9

    def test_the_symbols_of_a_text_are_its_characters(self):
        assert CharTokenizer().symbols("hé, 你好") == ["h", "é", ",", " ", "你", "好"]
        assert CharTokenizer().symbols("") == []

    def test_two_tokenizers_share_nothing(self):
        one, other = CharTokenizer(), CharTokenizer()
        one.token_to_id["a"] = 0
        assert other.token_to_id == {}

    @pytest.mark.parametrize("unk_token", ["", 0, b"[UNK]"], ids=["empty", "int", "bytes"])
    def test_an_unusable_unknown_token_is_refused(self, unk_token):
        with pytest.raises(ValueError, match="unk_token"):
            CharTokenizer(unk_token)

    def test_what_is_not_text_is_refused(self):
        with pytest.raises(TypeError, match="Decode bytes first"):
            CharTokenizer().symbols(b"hello")
        with pytest.raises(ValueError, match="lone surrogate"):
            CharTokenizer().symbols("a\ud83d")


class TestBuildVocab:
    """`build_vocab`: every different symbol gets a number."""

    @pytest.mark.core
    def test_hello_world(self):
        outcome = call(CharTokenizer().build_vocab, "hello world")
        check(
            outcome.attribute("token_to_id"),
            {" ": 0, "d": 1, "e": 2, "h": 3, "l": 4, "o": 5, "r": 6, "w": 7},
            idea="Eleven characters, eight different ones, in sorted order; the space sorts before the letters.",
            pitfall="order",
        )

    def test_both_directions_are_set(self):
        outcome = call(CharTokenizer().build_vocab, "hello world")
        check(
            outcome.attribute("id_to_token"),
            dict(enumerate(HELLO)),
            idea="id_to_token is the inverse of token_to_id.",
            pitfall="two-dictionaries",
        )

    def test_capitals_come_before_small_letters(self):
        outcome = call(CharTokenizer().build_vocab, "aBbAcC")
        check(
            outcome.attribute("token_to_id"),
            {"A": 0, "B": 1, "C": 2, "a": 3, "b": 4, "c": 5},
            idea="sorted puts characters in the order of their code points. Any other order gives other IDs.",
            pitfall="order",
        )

    def test_capitals_accents_and_whitespace_are_separate_symbols(self):
        outcome = call(CharTokenizer().build_vocab, " Aaéã你e\u0301\n\0")
        check(
            outcome.attribute("token_to_id"),
            {"\0": 0, "\n": 1, " ": 2, "A": 3, "a": 4, "e": 5, "ã": 6, "é": 7, "\u0301": 8, "你": 9},
            idea="Every code point is a symbol, even a line break, or an accent that follows its letter.",
            pitfall="order",
        )

    def test_the_unknown_token_comes_first(self):
        outcome = call(CharTokenizer("[UNK]").build_vocab, "banana")
        check(
            outcome.attribute("token_to_id"),
            {"[UNK]": 0, "a": 1, "b": 2, "n": 3},
            idea="The unknown token has ID 0, and everything else moves up by one.",
            pitfall="unknown-symbol",
        )

    def test_the_unknown_token_can_be_decoded(self):
        outcome = call(CharTokenizer("[UNK]").build_vocab, "banana")
        check(
            outcome.attribute("id_to_token"),
            {0: "[UNK]", 1: "a", 2: "b", 3: "n"},
            idea="decode needs it to show where something was lost.",
            pitfall="unknown-symbol",
        )

    def test_the_unknown_token_comes_before_what_sorts_before_it(self):
        tokenizer = CharTokenizer(unk_token="[UNK]")
        check(
            call(tokenizer.build_vocab, "[UNK] a").attribute("token_to_id"),
            {"[UNK]": 0, " ": 1, "K": 2, "N": 3, "U": 4, "[": 5, "]": 6, "a": 7},
            idea="The unknown token always has ID 0; characters that look like it are symbols of their own.",
            pitfall="unknown-symbol",
        )

    def test_an_unknown_token_that_occurs_in_the_text_is_listed_once(self):
        # "?" stands for unknown symbols here, and the text has its own question mark.
        outcome = call(CharTokenizer("?").build_vocab, "why? oh")
        check(
            outcome.attribute("token_to_id"),
            {"?": 0, " ": 1, "h": 2, "o": 3, "w": 4, "y": 5},
            idea="It has ID 0 already; listed again, it would get a second ID.",
            pitfall="unknown-symbol",
        )

    @pytest.mark.parametrize("name", ["token_to_id", "id_to_token"])
    def test_building_again_starts_anew(self, name):
        tokenizer = with_vocabulary("xyz")
        expected = {"token_to_id": {"a": 0, "b": 1}, "id_to_token": {0: "a", 1: "b"}}[name]
        outcome = call(tokenizer.build_vocab, "abba")
        check(
            outcome.attribute(name),
            expected,
            idea="build_vocab builds the vocabulary of this text alone, not of all texts so far.",
            pitfall="build-again",
        )

    @pytest.mark.parametrize(
        ("unk_token", "expected"), [(None, {}), ("?", {"?": 0})], ids=["without", "with an unknown token"]
    )
    def test_an_empty_corpus(self, unk_token, expected):
        outcome = call(with_vocabulary("xyz", unk_token).build_vocab, "")
        check(outcome.attribute("token_to_id"), expected, idea="No symbol, no entry.", pitfall="build-again")

    def test_nothing_is_returned(self):
        outcome = call(CharTokenizer().build_vocab, "abc")
        check_that(
            outcome.result is None,
            outcome,
            "None",
            idea="build_vocab sets two dictionaries, and returns nothing.",
        )

    def test_what_is_not_text_is_refused(self):
        check_raises(
            call(CharTokenizer().build_vocab, b"hello"),
            TypeError,
            saying="str",
            idea="self.symbols(text) checks that it is text.",
            pitfall="hooks",
        )

    def test_calls_are_independent(self):
        tables, first = ("token_to_id", "id_to_token"), lambda seen: seen.attribute("token_to_id")
        with independent_calls("build_vocab", CharTokenizer(), CharTokenizer("?"), changes=tables, see=first) as build:
            build("ab", gives={"a": 0, "b": 1}, then={"?": 0, "a": 1, "b": 2})
            build("cb", gives={"b": 0, "c": 1}, then={"?": 0, "b": 1, "c": 2})


class TestEncode:
    """`encode`: look up one ID for each symbol."""

    @pytest.mark.core
    def test_hello(self):
        check(
            call(with_vocabulary(HELLO).encode, "hello"),
            [3, 2, 4, 4, 5],
            idea="h is 3, e is 2, l is 4, o is 5: places in the sorted vocabulary.",
            pitfall="order",
        )

    def test_the_symbol_with_id_0(self):
        check(
            call(with_vocabulary(HELLO).encode, "o d"),
            [5, 0, 1],
            idea="The space has ID 0, an ID like any other.",
            pitfall="zero",
        )

    def test_the_empty_text(self):
        check(call(with_vocabulary(HELLO).encode, ""), [], idea="No symbol, no ID.")

    def test_every_unknown_symbol_becomes_one_id(self):
        check(
            call(with_vocabulary("aB", "<unk>").encode, "a AbB\n"),
            [1, 0, 0, 0, 2, 0],
            idea="There is one ID for each symbol, including whitespace.",
            pitfall="unknown-symbol",
        )

    @pytest.mark.parametrize(
        "text",
        ["hello z", "z", "he!d", "Hello", "h\u00e9llo"],
        ids=["at the end", "alone", "within", "a capital", "an accent"],
    )
    def test_without_an_unknown_token_an_unknown_symbol_is_an_error(self, text):
        missing = next(character for character in text if character not in HELLO)
        check_raises(
            call(with_vocabulary(HELLO).encode, text),
            ValueError,
            saying=missing,
            idea="A symbol without an ID cannot be encoded, and the message names it.",
            pitfall="unknown-symbol",
        )

    @pytest.mark.core
    def test_with_an_unknown_token_an_unknown_symbol_becomes_its_id(self):
        check(
            call(with_vocabulary("ehlo", "[UNK]").encode, "Hallo"),
            [0, 0, 3, 3, 4],
            idea="H and a are not in the vocabulary, so each becomes 0, the ID of the unknown token.",
            pitfall="unknown-symbol",
        )

    def test_the_unknown_token_as_text_is_characters(self):
        check(
            call(with_vocabulary("KNU", "[UNK]").encode, "[UNK]"),
            [0, 3, 2, 1, 0],
            idea="encode goes character by character; what five of them look like together does not matter.",
            pitfall="hooks",
        )

    def test_what_the_vocabulary_is_now_decides(self):
        tokenizer = with_vocabulary("ab")
        call(tokenizer.encode, "ab").value.append(7)
        tokenizer.token_to_id = {"b": 0, "a": 1}
        check(
            call(tokenizer.encode, "ab"),
            [1, 0],
            idea="Each call looks up its text in the current vocabulary, and returns a new list.",
            pitfall="build-again",
        )

    def test_what_is_not_text_is_refused(self):
        check_raises(
            call(with_vocabulary(HELLO).encode, ["h", "e"]),
            TypeError,
            saying="str",
            idea="self.symbols(text) checks that it is text.",
            pitfall="hooks",
        )

    def test_calls_are_independent(self):
        with independent_calls("encode", with_vocabulary("abc", "?"), with_vocabulary("cab", "?")) as encode:
            encode("abc", gives=[1, 2, 3], then=[2, 3, 1])
            encode("xab", gives=[0, 1, 2], then=[0, 2, 3])


class TestDecode:
    """`decode`: the way back."""

    @pytest.mark.core
    def test_hello(self):
        check(
            call(with_vocabulary(HELLO).decode, [3, 2, 4, 4, 5]),
            "hello",
            idea="Each ID's symbol, one right after the other.",
            pitfall="hooks",
        )

    def test_no_ids_are_the_empty_text(self):
        check(call(with_vocabulary(HELLO).decode, []), "", idea="No ID, no symbol.", pitfall="hooks")

    def test_the_symbol_with_id_0(self):
        check(
            call(with_vocabulary(HELLO).decode, [0, 5, 0, 1, 0]),
            " o d ",
            idea="ID 0 is the space, a symbol like any other, also at the end.",
            pitfall="zero",
        )

    def test_the_unknown_token_shows_where_something_was_lost(self):
        check(
            call(with_vocabulary("ehlo", "[UNK]").decode, [2, 0, 3, 3, 4]),
            "h[UNK]llo",
            idea="The symbol is lost, but the unknown token shows that there was one.",
            pitfall="unknown-symbol",
        )

    @pytest.mark.parametrize("token_id", [8, 100, -1])
    def test_an_id_that_does_not_exist_is_an_error_that_names_it(self, token_id):
        check_raises(
            call(with_vocabulary(HELLO).decode, [3, token_id, 2]),
            ValueError,
            saying=str(token_id),
            idea="Such an ID belongs to another tokenizer, and it is better to fail early.",
            pitfall="unknown-id",
        )

    def test_an_unknown_token_is_no_excuse_for_an_id_that_does_not_exist(self):
        check_raises(
            call(with_vocabulary("ab", "[UNK]").decode, [1, 7]),
            ValueError,
            saying="7",
            idea="The unknown token stands for symbols without an ID, not for IDs without a symbol.",
            pitfall="unknown-id",
        )

    def test_ids_in_an_array(self):
        import numpy as np

        check(
            call(with_vocabulary(HELLO).decode, np.array([3, 2, 4, 4, 5])),
            "hello",
            idea="Saved IDs are loaded as an array.",
            pitfall="unknown-id",
        )

    def test_ids_one_by_one(self):
        outcome = call(with_vocabulary(HELLO).decode, iter([3, 2]))
        check_that(
            outcome.result == "he",
            outcome,
            "'he'",
            idea="A model gives its IDs one by one; go through them once.",
            pitfall="unknown-id",
        )

    def test_calls_are_independent(self):
        with independent_calls("decode", with_vocabulary("abc"), with_vocabulary("cab")) as decode:
            decode([0, 1, 2], gives="abc", then="cab")
            decode([2, 0, 1], gives="cab", then="bca")


class TestSplit:
    """`WordTokenizer._split`: from text to words."""

    @pytest.mark.core
    def test_words_in_lower_case(self):
        check(
            call(WordTokenizer()._split, "To be or not"),
            ["to", "be", "or", "not"],
            idea="Lowercase, then split at whitespace.",
            pitfall="words",
        )

    def test_punctuation_stays_with_its_word(self):
        check(
            call(WordTokenizer()._split, "To be, or not-to: that's 1 ! It’s end-\nless"),
            ["to", "be,", "or", "not-to:", "that's", "1", "!", "it’s", "end-", "less"],
            idea="Only whitespace separates words, so 'be,' and 'be' are different words.",
            pitfall="words",
        )

    def test_a_run_of_spaces_is_one_border(self):
        check(
            call(WordTokenizer()._split, "to  be   to"),
            ["to", "be", "to"],
            idea="There is no word between two spaces, and a repeated word counts each time.",
            pitfall="empty-words",
        )

    @pytest.mark.parametrize("text", ["", "   ", "\n"], ids=["empty", "spaces", "line end"])
    def test_a_text_without_words(self, text):
        check(call(WordTokenizer()._split, text), [], idea="Whitespace alone contains no word.", pitfall="empty-words")

    def test_capitals_of_every_script_are_lowered(self):
        check(
            call(WordTokenizer()._split, "ÉTÉ Привет"),
            ["été", "привет"],
            idea="str.lower knows all scripts.",
            pitfall="words",
        )

    def test_white_space_of_every_kind_is_a_border(self):
        check(
            call(WordTokenizer()._split, "to\u00a0be\u2003or\x0bnot"),
            ["to", "be", "or", "not"],
            idea="str.split knows the spaces of Unicode: one that forbids a line break, one as wide as an m, and more.",
            pitfall="words",
        )

    def test_lower_case_is_all_that_changes(self):
        check(
            call(WordTokenizer()._split, "Große Cafe\u0301"),
            ["große", "cafe\u0301"],
            idea="ß is already lowercase, and an accent may be a separate character after its letter.",
            pitfall="words",
        )

    def test_calls_are_independent(self):
        with independent_calls("_split", with_vocabulary(["to", "be"], kind=WordTokenizer)) as split:
            split("To be", gives=["to", "be"])
            split("or Be", gives=["or", "be"])


class TestJoin:
    """`WordTokenizer._join`: from words to text."""

    @pytest.mark.core
    def test_one_space_between_two_words(self):
        check(
            call(WordTokenizer()._join, ["to", "be", ",", "or", "to"]),
            "to be , or to",
            idea="What was between the words is lost; one space is the best guess.",
            pitfall="join",
        )

    def test_one_word_has_no_space_around_it(self):
        check(call(WordTokenizer()._join, ["[UNK]"]), "[UNK]", idea="Spaces go between words only.", pitfall="join")

    def test_no_word_is_left_out(self):
        check(
            call(WordTokenizer(unk_token="[UNK]")._join, ["a", "[UNK]", "##", "b"]),
            "a [UNK] ## b",
            idea="The unknown token shows where a word was lost, and no word has a meaning of its own here.",
            pitfall="join",
        )

    def test_no_words_are_the_empty_text(self):
        check(call(WordTokenizer()._join, []), "", idea="Nothing to join.", pitfall="join")

    def test_calls_are_independent(self):
        with independent_calls("_join", with_vocabulary(["to", "be"], kind=WordTokenizer)) as join:
            join(["to", "be"], gives="to be")
            join(["be", "to"], gives="be to")


class TestRoundTrip:
    """All together: characters come back unchanged, or the loss is visible."""

    @examples
    @given(corpus=st.text(alphabet=st.characters(codec="utf-8"), max_size=30), data=st.data())
    def test_every_string_over_the_alphabet_comes_back(self, corpus, data):
        tokenizer = built_from(corpus)
        text = data.draw(st.text(alphabet=sorted(set(corpus)), max_size=30) if corpus else st.just(""))
        check(
            call(tokenizer.decode, call(tokenizer.encode, text).value),
            text,
            idea="Characters lose nothing: not order, not capitals, not whitespace.",
            pitfall="two-dictionaries",
        )

    @examples
    @given(corpus=st.text(alphabet="abc ", min_size=1), text=st.text(alphabet="abcdef ", max_size=20))
    def test_what_is_lost_is_seen(self, corpus, text):
        # The unknown token is a character here, so that the text keeps its length.
        tokenizer = built_from(corpus, "#")
        check(
            call(tokenizer.decode, call(tokenizer.encode, text).value),
            "".join(character if character in corpus else "#" for character in text),
            idea="Characters of the corpus come back; all others become unknown tokens.",
            pitfall="unknown-symbol",
        )


class TestWordTokenizer:
    """Your three methods of CharTokenizer, with words as symbols: they must use `symbols` and `_join`."""

    def test_the_vocabulary_holds_words(self):
        outcome = call(WordTokenizer().build_vocab, "The cat saw the other cat")
        check(
            outcome.attribute("token_to_id"),
            {"cat": 0, "other": 1, "saw": 2, "the": 3},
            idea="self.symbols(text) gives the words of a text, because a word tokenizer's _split does.",
            pitfall="hooks",
        )

    def test_encode_looks_up_words(self):
        check(
            call(with_vocabulary(["cat", "saw", "the"], kind=WordTokenizer).encode, "The cat saw  the CAT"),
            [2, 0, 1, 2, 0],
            idea="Five words, five IDs.",
            pitfall="hooks",
        )

    def test_an_unknown_word_is_named(self):
        check_raises(
            call(with_vocabulary(["cat", "saw", "the"], kind=WordTokenizer).encode, "The DOG saw the cat"),
            ValueError,
            saying="dog",
            idea="The symbol is dog, in lowercase: the message names the symbol and not only the text.",
            pitfall="unknown-symbol",
        )

    def test_decode_puts_spaces_between_words(self):
        check(
            call(with_vocabulary(["cat", "saw", "the"], kind=WordTokenizer).decode, [2, 0, 1, 2, 0]),
            "the cat saw the cat",
            idea="self._join knows what goes between two symbols.",
            pitfall="hooks",
        )

    @examples
    @given(words=st.lists(st.text(alphabet="abc,.'", min_size=1, max_size=4), max_size=12))
    def test_words_in_lower_case_with_single_spaces_come_back(self, words):
        tokenizer = built_from(" ".join(words), kind=WordTokenizer)
        check(
            call(tokenizer.decode, call(tokenizer.encode, " ".join(words)).value),
            " ".join(words),
            idea="This text has nothing that a word tokenizer loses.",
            pitfall="hooks",
        )

    def test_what_is_not_text_is_refused(self):
        check_raises(
            call(WordTokenizer().build_vocab, b"the cat"),
            TypeError,
            saying="str",
            idea="bytes have lower and split, too, so nothing would fail; self.symbols(text) notices.",
            pitfall="hooks",
        )
