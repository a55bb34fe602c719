"""Splitting in loops gives the pieces of the Rust engine, and cutting a text at a safe place changes none of them."""

import itertools
import random
from collections import Counter
from collections.abc import Iterator

import pytest

from g2c.engine.counting import WordCounter
from g2c.engine.parts import SpecialTokens
from g2c.engine.splitting import classes_for, padded, piece_end, way_of
from g2c.tokenizer.patterns import EXAMINED, PATTERNS, short_texts, split_by_pattern, splitter

# What the patterns tell apart, with the odd ones: white space of several bytes, characters that are equal to s or k
# where case does not count, numbers that are no digits, and characters of two to four bytes in each class.
PARTS = [
    *"'''sStTdDmMrReEvVlL aZ 12 3 .,!-\t\n\r\n",
    *"\x00\x0b\x0c\x1c\x85\xa0\u1680\u180e\u2028\u2029\u202f\u205f\u3000\ufeff\u200b",
    *"\u017f\u212aßﬆİıŉéΩж中カ한ऀ\u0301\U0001d400\U00020000²½Ⅷ٣০\U0001d7ce\U00010107’“…—。、€😀\ufffd\U0010ffff",
    *("'ll", "'VE", "'re", "'ſ", "   ", "\n \n", "!\n", "\r\n", " \r\n ", "1234567", "\n\t\t", "?!\n\n  x", "don't"),
    *("ǅªʰA", "中Ab", "aB", "ABc", "e\u0301", "!\n/", "\n//", "\u3099か・ノ", "\u302a"),
]
CLASS_EXAMPLES = [" ", "\t", "\u3000", "\n", "\r", "a", "S", "é", "1", "²", "!", "'", "中", "。"]
WITH_LOOPS = ["gpt2", "gpt4", "qwen", "o200k"]


def rust_pieces(text: str, pattern: str) -> list[bytes]:
    return [piece.encode() for piece, _ in splitter(PATTERNS[pattern]).pre_tokenize_str(text)]


def pieces_one_by_one(text: bytes, way: int) -> Iterator[bytes]:
    """The pieces as splitting finds them where 64 bytes at once decide nothing."""
    data, begin = padded(text), 0
    classes, data = classes_for(text, data, way).data, data.data
    while begin < len(text):
        end = piece_end(data, begin, len(text), classes, way)
        yield text[begin:end]
        begin = end


def assert_same_pieces(pattern: str, *texts: str) -> None:
    for text in texts:
        expected, pieces = rust_pieces(text, pattern), list(pieces_one_by_one(text.encode(), way_of(PATTERNS[pattern])))
        wrong = next((i for i, (ours, theirs) in enumerate(zip(pieces, expected)) if ours != theirs), len(expected))
        assert pieces == expected, f"piece {wrong}: {pieces[wrong:][:4]}, but the engine has {expected[wrong:][:4]}"


# --- the pieces -------------------------------------------------------------------------------------------------------


@pytest.mark.whole
@pytest.mark.parametrize("pattern", WITH_LOOPS)
def test_every_character_is_split_as_the_engine_does(pattern):
    """Between a letter, a number and a punctuation mark, which tells the classes apart, and after an apostrophe."""
    characters = [chr(point) for point in range(0x110000) if not 0xD800 <= point <= 0xDFFF]
    # What has a class of its own is in the first two planes; of the others, which are letters or nothing, every tenth.
    chosen = characters[:0x1F800] + characters[0x1F800::10]
    for begin in range(0, len(chosen), 50_000):
        part = chosen[begin : begin + 50_000]
        assert_same_pieces(pattern, "".join(f"a{character}1{character}'{character}" for character in part))


NEIGHBORHOODS = ["".join(text) for length in (1, 2, 3) for text in itertools.product(CLASS_EXAMPLES, repeat=length)]
LETTERS = ["", *"sStTdDmMrReEvVlLxſß1'! "]
BEFORE = ["", "a", " ", "!", "1", "'", "\n", "\t"]
CONTRACTIONS = [f"{before}'{one}{other}" for before, one, other in itertools.product(BEFORE, LETTERS, LETTERS)]
RUNS = ["a", "é", "1", "٣", " ", "\n", " \n", "\n ", "!", "'", "😀", "'s", "\u3000", "!\n", "a1", "\r\n"]
LONG_RUNS = [
    text.format(run * length)
    for run, length, text in itertools.product(RUNS, (1, 2, 3, 4, 5, 300, 1000), ("{}", "x{}x", " {} "))
]


@pytest.mark.parametrize("pattern", WITH_LOOPS)
@pytest.mark.parametrize("texts", [NEIGHBORHOODS, CONTRACTIONS, LONG_RUNS], ids=["classes", "contractions", "runs"])
def test_all_that_decides_where_a_piece_ends(pattern, texts):
    assert_same_pieces(pattern, *texts)


PLAIN = ["the", " of", " and", "word", "The", ", ", ". ", "(x)", "=", "1", "2024", "\n", "    ", "  ", "\t", "_", "--"]
"""What most text is made of: these parts are decided 64 bytes at a time."""


@pytest.mark.parametrize("pattern", WITH_LOOPS)
@pytest.mark.parametrize("kind", ["plain", "odd"])
@pytest.mark.parametrize("count", [1, 1000])
def test_pieces_of_random_texts_at_every_place_among_64_bytes(pattern, kind, count):
    """A long text, and short ones directly one after the other: the next one must not decide where pieces end."""
    chance = random.Random(7)
    lengths = [60_000] if count == 1 else [chance.randint(1, 20) for _ in range(count)]
    choices = PLAIN if kind == "plain" else PLAIN * 5 + PARTS
    texts = ["".join(chance.choices(choices, k=length)) for length in lengths]
    counter = WordCounter()
    data, parts = SpecialTokens({}).joined(texts)
    counter.count(data, PATTERNS[pattern], parts)
    expected = Counter(piece for text in texts for piece in rust_pieces(text, pattern))
    assert list(counter.words().items()) == list(expected.items())


# --- cuts -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", sorted(EXAMINED))
def test_a_long_text_is_split_in_short_parts(pattern):
    text = "".join(random.Random(7).choices(PLAIN * 5 + PARTS, k=30_000))
    assert len(list(short_texts(text, pattern))) > 5 and len(list(short_texts("слово, " * 5000, pattern))) > 5
    assert split_by_pattern(text, pattern) == [piece for piece, _ in splitter(pattern).pre_tokenize_str(text)]
