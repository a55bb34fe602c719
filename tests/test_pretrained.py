"""Tests of module 04d, published tokenizers. Work through them from top to bottom:

    1. TestGiven             passes already: the parts that are given
    2. TestByteCharacters    write byte_characters
    3. TestMergesFromRanks   write merges_from_ranks
    4. TestCharacterSpans    write character_spans
    5. TestPublishedMerges   needs all three, and your encode and decode of module 04

One group at a time, stopping at the first failure:

    pytest tests/test_pretrained.py -x -k TestByteCharacters
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from coach.teaching import call, check, check_raises, examples
from coach.testing.again import independent_calls
from g2c.common.errors import CorpusError
from g2c.formats.hf_format import BYTE_TO_CHAR
from g2c.tokenizer import (
    BPETokenizer,
    byte_characters,
    character_spans,
    load_bert,
    load_cl100k,
    load_gpt2,
    load_tokenizer_json,
    merges_from_ranks,
)

pytestmark = pytest.mark.student("04d")

BYTES = {bytes([byte]): byte for byte in range(256)}
"""The 256 tokens that every table begins with."""

PARAGRAPH = "She sells sea shells on the sea shore; the shells that she sells are sea shells, I am sure. " * 3

# From GPT-2's own table: every merge that the sentences below need, as (left, right, ID), in its own spelling.
GPT2_MERGES = [
    ("h", "e", 258), ("Ġ", "w", 266), ("o", "r", 273), ("Ġ", "b", 275), ("Ġ", "f", 277), ("i", "c", 291),
    ("l", "l", 297), ("Ġ", "n", 299), ("v", "e", 303), ("r", "o", 305), ("l", "d", 335), ("q", "u", 421),
    ("T", "he", 464),
    ("Ġw", "or", 476), ("ic", "k", 624), ("Ġ", "qu", 627), ("w", "n", 675), ("e", "ll", 695), ("Ġwor", "ld", 995),
    ("o", "x", 1140), ("Ġb", "ro", 1379), ("Ġqu", "ick", 2068), ("Ġbro", "wn", 7586), ("ell", "o", 11109),
    ("Ġn", "a", 12385), ("H", "ello", 15496), ("Ġf", "ox", 21831), ("Ã", "¯", 26884), ("Ã¯", "ve", 38776),
    ("Ġna", "Ã¯ve", 41492),
]  # fmt: skip

# From GPT-4's own table, cl100k_base: every token that "Hello, world!" needs, with its rank.
CL100K_RANKS = {
    b"or": 269, b" w": 289, b"el": 301, b"lo": 385, b"ld": 509, b"orld": 1410, b" world": 1917, b"ello": 4896,
    b"Hello": 9906,
}  # fmt: skip


def numbered_as_published(characters) -> bytes:
    """Return the ID of each byte. GPT-2 and GPT-4 number bytes in the order of the characters that GPT-2 writes."""
    in_order = sorted(range(256), key=lambda byte: characters[byte])
    return bytes(in_order.index(byte) for byte in range(256))


def excerpt_of_gpt2(characters) -> BPETokenizer:
    """Make a tokenizer with the few merges above, which have their published IDs."""
    byte_of = {character: byte for byte, character in characters.items()}
    tokenizer = BPETokenizer({"<|endoftext|>": 50256}, pattern="gpt2")
    tokenizer.byte_ids = numbered_as_published(characters)
    tokenizer._reset()
    id_of = {token: token_id for token_id, token in tokenizer.vocab.items()}
    for left, right, new_id in GPT2_MERGES:
        left, right = (bytes(byte_of[character] for character in token) for token in (left, right))
        tokenizer.merges[id_of[left], id_of[right]] = new_id
        tokenizer.vocab[new_id] = left + right
        id_of[left + right] = new_id
    return tokenizer


def check_seen(outcome, view, aspect, expected, *, idea, pitfall):
    """Compare a part of the result. If it is wrong, the whole result tells which mistake was made."""
    check(outcome.seen_as(view, aspect), expected, idea=idea, pitfall=pitfall)


class TestGiven:
    """The given part. These tests pass before anything is written: they show what published tables need."""

    def test_a_special_token_can_have_any_id(self):
        tokenizer = BPETokenizer({"<|endoftext|>": 50256})
        assert tokenizer.special_to_id == {"<|endoftext|>": 50256}
        assert tokenizer.vocab[50256] == b"<|endoftext|>"

    def test_bytes_can_be_numbered_in_another_order(self):
        # _pieces gives the bytes as their IDs, so that your encode, which starts with list(piece), needs no change.
        tokenizer = BPETokenizer()
        tokenizer.byte_ids = bytes(reversed(range(256)))
        assert [list(piece) for piece in tokenizer._pieces("ab")] == [[255 - 97, 255 - 98]]

    @pytest.mark.parametrize(("load", "name"), [(load_gpt2, "gpt2"), (load_cl100k, "cl100k"), (load_bert, "bert")])
    def test_a_table_that_is_not_here_says_how_to_get_it(self, load, name, tmp_path, monkeypatch):
        monkeypatch.setenv("G2C_DATA", str(tmp_path))
        with pytest.raises(CorpusError, match=rf"\./datasets\.sh {name}"):
            load()

    def test_a_tokenizer_json_is_read(self, tmp_path):
        tokenizer = BPETokenizer(["<|end|>"], pattern="gpt2")
        tokenizer.train_exact(PARAGRAPH, 280)
        assert load_tokenizer_json(tokenizer.save(tmp_path)).merges == tokenizer.merges


class TestByteCharacters:
    """`byte_characters`: how GPT-2's files write bytes."""

    @pytest.mark.core
    def test_letters_and_digits_stand_for_themselves(self):
        outcome = call(byte_characters)
        check_seen(
            outcome,
            lambda table: type(table).__name__,
            "the type of the result",
            "dict",
            idea="It is a dictionary: each byte is a key, and its character is the value.",
            pitfall="visible",
        )
        check_seen(
            outcome,
            lambda table: "".join(table[byte] for byte in b"Az09"),
            "the text for b'Az09'",
            "Az09",
            idea="What is visible needs no substitute.",
            pitfall="visible",
        )

    @pytest.mark.core
    @pytest.mark.parametrize(("byte", "character"), [(32, "Ġ"), (10, "Ċ")], ids=["space", "line end"])
    def test_white_space_is_written_as_a_letter(self, byte, character):
        check_seen(
            call(byte_characters),
            lambda table: table[byte],
            f"the character of byte {byte}",
            character,
            idea=f"The bytes 0 to 32 are all invisible, so byte {byte} gets chr(256 + {byte}).",
            pitfall="counter",
        )

    @pytest.mark.parametrize("byte", [33, 126, 161, 172, 174, 255])
    def test_the_ends_of_the_ranges_are_visible(self, byte):
        check_seen(
            call(byte_characters),
            lambda table: table[byte],
            f"the character of byte {byte}",
            chr(byte),
            idea="Each range includes its last byte.",
            pitfall="visible",
        )

    @pytest.mark.parametrize(("byte", "number"), [(0, 256), (127, 289), (160, 322), (173, 323)])
    def test_invisible_bytes_are_counted_on(self, byte, number):
        check_seen(
            call(byte_characters),
            lambda table: table[byte],
            f"the character of byte {byte}",
            chr(number),
            idea=f"{number - 256} invisible bytes come before byte {byte}, so it gets chr(256 + {number - 256}).",
            pitfall="counter",
        )

    def test_the_table_is_in_the_order_of_the_bytes(self):
        check_seen(
            call(byte_characters),
            list,
            "the keys",
            list(range(256)),
            idea="Going through the bytes from 0 to 255 gives this order.",
            pitfall="visible",
        )

    def test_the_whole_table(self):
        check(call(byte_characters), BYTE_TO_CHAR, idea="This is GPT-2's table.", pitfall="counter")

    def test_calls_are_independent(self):
        with independent_calls(byte_characters) as characters:
            characters(gives=BYTE_TO_CHAR)
            characters(gives=BYTE_TO_CHAR)


class TestMergesFromRanks:
    """`merges_from_ranks`: a list of tokens shows what was merged."""

    def test_single_bytes_are_not_merges(self):
        check(
            call(merges_from_ranks, dict(BYTES)),
            {},
            idea="The 256 bytes are there from the start.",
            pitfall="single-bytes",
        )

    @pytest.mark.core
    def test_a_token_of_two_bytes(self):
        check(
            call(merges_from_ranks, BYTES | {b"th": 256}),
            {(116, 104): 256},
            idea="Two bytes are two parts from the start: t and h made th.",
            pitfall="own-rank",
        )

    @pytest.mark.core
    def test_the_lowest_rank_joins_first(self):
        check(
            call(merges_from_ranks, BYTES | {b"bc": 256, b"bcd": 257, b"ab": 258, b"abcd": 259}),
            {(98, 99): 256, (256, 100): 257, (97, 98): 258, (97, 257): 259},
            idea="In abcd, bc has the lowest rank, so it is joined before ab, and a is left over.",
            pitfall="lowest-rank",
        )
        # Both th and he could be joined in the; he was learned first.
        check(
            call(merges_from_ranks, BYTES | {b"he": 256, b"th": 257, b"the": 258}),
            {(104, 101): 256, (116, 104): 257, (116, 256): 258},
            idea="he has the lower rank, so it is joined before th, and t is left over.",
            pitfall="lowest-rank",
        )

    def test_tokens_of_higher_rank_do_not_count(self):
        # ab is in the table, but it was learned after abc.
        check(
            call(merges_from_ranks, BYTES | {b"bc": 256, b"abc": 257, b"ab": 258}),
            {(98, 99): 256, (97, 256): 257, (97, 98): 258},
            idea="ab did not exist yet when abc was learned.",
            pitfall="own-rank",
        )

    def test_runs_of_the_same_byte(self):
        check(
            call(merges_from_ranks, BYTES | {b"aa": 256, b"aaa": 257, b"aaaa": 258, b"aaaaaaa": 259}),
            {(97, 97): 256, (256, 97): 257, (256, 256): 258, (258, 257): 259},
            idea="In aaaaaaa, aa is joined three times from the left; then aa and a; then aa and aa.",
            pitfall="lowest-rank",
        )

    def test_the_order_of_the_table_does_not_matter(self):
        ranks = dict(reversed((BYTES | {b"th": 256, b"he": 257, b"the": 258}).items()))
        check_seen(
            call(merges_from_ranks, ranks),
            lambda merges: list(merges.items()),
            "the merges in order",
            [((116, 104), 256), ((104, 101), 257), ((256, 101), 258)],
            idea="Tokens were learned in the order of their ranks, wherever they stand in the file or the alphabet.",
            pitfall="lowest-rank",
        )

    def test_a_longer_token_can_come_before_a_shorter_one(self):
        check_seen(
            call(merges_from_ranks, BYTES | {b"th": 256, b"the": 257, b"he": 258}),
            lambda merges: list(merges.items()),
            "the merges in order",
            [((116, 104), 256), ((256, 101), 257), ((104, 101), 258)],
            idea="the has the rank 257 and he the rank 258, so the was learned before he. Only the rank counts.",
            pitfall="lowest-rank",
        )

    def test_pairs_are_ids_and_not_bytes(self):
        # Published tables number the bytes in another order, so t is not 116 there.
        ranks = {bytes([byte]): 255 - byte for byte in range(256)} | {b"th": 256}
        check(
            call(merges_from_ranks, ranks),
            {(255 - 116, 255 - 104): 256},
            idea="A merge joins IDs, and the ID of a byte is its rank.",
            pitfall="byte-ids",
        )

    def test_bytes_can_have_ranks_above_255(self):
        # A table may begin with tokens that its file does not list, such as special tokens.
        ranks = {bytes([byte]): 3 + byte for byte in range(256)} | {b"th": 259, b"the": 260}
        check(
            call(merges_from_ranks, ranks),
            {(119, 107): 259, (259, 104): 260},
            idea="A token of one byte does not come from a merge, whatever its rank.",
            pitfall="single-bytes",
        )

    def test_ranks_can_leave_numbers_free(self):
        check(
            call(merges_from_ranks, BYTES | {b"th": 300, b"the": 464}),
            {(116, 104): 300, (300, 101): 464},
            idea="The ID that a merge makes is the rank of the token.",
            pitfall="byte-ids",
        )

    def test_a_token_that_no_merge_makes_is_refused(self):
        check_raises(
            call(merges_from_ranks, BYTES | {b"xyz": 256}),
            ValueError,
            saying="xyz",
            idea="The bytes x, y, z stay three parts: no single merge can have made the token.",
            pitfall="two-parts",
        )

    @pytest.mark.parametrize("later", [{b"xy": 257}, {b"xy": 257, b"yz": 258}], ids=["xy", "xy and yz"])
    def test_a_token_that_only_later_ones_could_make_is_refused(self, later):
        check_raises(
            call(merges_from_ranks, BYTES | {b"xyz": 256} | later),
            ValueError,
            saying="xyz",
            idea="xy and z would make xyz, but xy was learned after it.",
            pitfall="own-rank",
        )

    def test_a_token_that_is_no_text_is_named_by_its_bytes(self):
        check_raises(
            call(merges_from_ranks, BYTES | {b"\xff\xfe\xfd": 256}),
            ValueError,
            saying=r"\xff\xfe\xfd",
            idea="A token is bytes, not always valid UTF-8: put it into the message as it is.",
            pitfall="two-parts",
        )

    def test_a_large_table_takes_no_long_time(self):
        tokens = {bytes([left, right]): (left, right) for left in range(256) for right in range(80)}
        ranks = BYTES | {token: new_id for new_id, token in enumerate(tokens, start=256)}
        check(
            call(merges_from_ranks, ranks),
            {pair: new_id for new_id, pair in enumerate(tokens.values(), start=256)},
            idea="Published tables have 50,000 tokens and more: look tokens up in ranks, and do not copy it for each.",
            pitfall="own-rank",
        )

    @examples
    @given(corpus=st.text("ab c你é", max_size=60), size=st.integers(256, 290))
    @pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")
    def test_what_was_learned_is_found_again(self, corpus, size):
        tokenizer = BPETokenizer()
        tokenizer.train_exact(corpus, size)
        ranks = {token: token_id for token_id, token in tokenizer.vocab.items()}
        check(
            call(merges_from_ranks, ranks),
            tokenizer.merges,
            idea="The tokens and their ranks determine the merges.",
            pitfall="lowest-rank",
        )

    def test_calls_are_independent(self):
        with independent_calls(merges_from_ranks) as merges:
            merges(BYTES | {b"th": 256, b"the": 257}, gives={(116, 104): 256, (256, 101): 257})
            merges(BYTES | {b"he": 256, b"the": 257}, gives={(104, 101): 256, (116, 256): 257})


class TestCharacterSpans:
    """`character_spans`: where tokens are in the text."""

    @pytest.mark.core
    def test_ascii_text(self):
        check(
            call(character_spans, [b"Hello", b",", b" world"]),
            [(0, 5), (5, 6), (6, 12)],
            idea="In ASCII a byte is a character, and each token starts where the previous one ends.",
            pitfall="bytes-for-characters",
        )

    def test_no_tokens(self):
        check(call(character_spans, []), [], idea="No token, no span.", pitfall="bytes-for-characters")

    @pytest.mark.core
    def test_a_character_of_two_bytes_counts_once(self):
        check(
            call(character_spans, ["naï".encode(), b"ve"]),
            [(0, 3), (3, 5)],
            idea="The two bytes of ï are one character; spans count characters.",
            pitfall="bytes-for-characters",
        )

    @pytest.mark.core
    def test_a_character_spread_over_two_tokens(self):
        check(
            call(character_spans, [b"\xf0\x9f", b"\x91\x8b", b"!"]),
            [(0, 1), (0, 1), (1, 2)],
            idea="The first two each contain a part of the one character, so both cover it.",
            pitfall="inside",
        )

    def test_a_token_that_ends_one_character_and_begins_the_next(self):
        check(
            call(character_spans, [b"\xe6\x97", b"\xa5\xe6", b"\x9c\xac", b"!"]),
            [(0, 1), (0, 2), (1, 2), (2, 3)],
            idea="The second token holds the end of the first character and the beginning of the second.",
            pitfall="inside",
        )

    def test_a_token_that_occurs_within_another(self):
        check(
            call(character_spans, [b"aa", b"a", b"b"]),
            [(0, 2), (2, 3), (3, 4)],
            idea="Each token begins where the one before it ends, even if its bytes occur earlier, too.",
            pitfall="bytes-for-characters",
        )

    def test_tokens_can_come_one_by_one(self):
        outcome = call(character_spans, iter([b"a", b"bc"])).shown_as("character_spans(iter([b'a', b'bc']))")
        check(outcome, [(0, 1), (1, 3)], idea="An iterator can be gone through once.", pitfall="inside")

    def test_a_long_text_takes_no_long_time(self):
        outcome = call(character_spans, [b"\xc3", b"\xa9"] * 15_000)
        check_seen(
            outcome,
            lambda spans: spans[-1],
            "the last span",
            (14_999, 15_000),
            idea="Go through the tokens once: keep the count instead of decoding everything so far for each token.",
            pitfall="inside",
        )

    @examples
    @given(text=st.text(max_size=12), data=st.data())
    def test_the_spans_cover_the_text_however_it_is_cut(self, text, data):
        encoded = text.encode()
        cuts = sorted(data.draw(st.sets(st.integers(1, max(len(encoded) - 1, 1)), max_size=6)) | {0, len(encoded)})
        tokens = [encoded[start:end] for start, end in zip(cuts, cuts[1:]) if encoded[start:end]]
        ends = [len(b"".join(tokens[: place + 1])) for place in range(len(tokens))]
        begun = [len(encoded[:end].decode(errors="ignore")) for end in [0, *ends]]
        whole = [len(encoded[:end].decode(errors="ignore").encode()) == end for end in ends]
        expected = [(start, end if complete else end + 1) for start, end, complete in zip(begun, begun[1:], whole)]
        check(
            call(character_spans, tokens),
            expected,
            idea="A token covers every character of which it has a byte.",
            pitfall="inside",
        )

    def test_calls_are_independent(self):
        with independent_calls(character_spans) as spans:
            spans([b"\xc3", b"\xaf", b"a"], gives=[(0, 1), (0, 1), (1, 2)])
            spans([b"a", b"b", b"c"], gives=[(0, 1), (1, 2), (2, 3)])


class TestPublishedMerges:
    """With published merges, your encode gives the published IDs. A few merges of each table are enough to show it."""

    @pytest.mark.parametrize(
        ("text", "ids"),
        [
            ("Hello, world!", [15496, 11, 995, 0]),
            ("The quick brown fox", [464, 2068, 7586, 21831]),
            (" naïve", [41492]),
        ],
        ids=["hello", "fox", "an accent"],
    )
    def test_gpt2(self, text, ids):
        tokenizer = excerpt_of_gpt2(call(byte_characters).value)
        encoded = call(tokenizer.encode, text)
        check(encoded, ids, idea="These are the IDs that GPT-2 was trained on.", pitfall="byte-ids")
        check(call(tokenizer.decode, ids), text, idea="Decoding needs only the bytes.", pitfall="byte-ids")

    def test_cl100k(self):
        published = numbered_as_published(call(byte_characters).value)
        ranks = {bytes([byte]): token_id for byte, token_id in enumerate(published)} | CL100K_RANKS
        tokenizer = BPETokenizer(pattern="gpt4")
        tokenizer.byte_ids = published
        tokenizer.merges = call(merges_from_ranks, ranks).value
        check(
            call(tokenizer.encode, "Hello, world!"),
            [9906, 11, 1917, 0],
            idea="These are the IDs that GPT-4 was trained on.",
            pitfall="lowest-rank",
        )
