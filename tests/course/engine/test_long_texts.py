"""Texts that are long where texts are not: right IDs, in time that grows with the length and not with its square."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from g2c.engine import encoding, fast
from g2c.engine.exact import train_exact
from g2c.formats.interop import to_hf
from g2c.solutions.bpe import BPETokenizer

PROSE = "It was the best of times, it was the worst of times; 1859 was the year.\nWe'll   see, they said: l'été, 中文. "
PATTERNS = [None, "gpt2", "gpt4"]

pytestmark = pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")


def with_spaces(pattern):
    """A tokenizer with tokens of 2, 4, 8, ... 1024 spaces."""
    tokenizer = BPETokenizer(["<|end|>"], pattern=pattern)
    for power in range(10):
        part = 32 if power == 0 else 256 + power
        tokenizer.merges[part, part] = 257 + power
        tokenizer.vocab[257 + power] = b" " * 2 ** (power + 1)
    return tokenizer


def of_prose(pattern, vocab_size=400):
    tokenizer = BPETokenizer(["<|end|>"], pattern=pattern)
    train_exact(tokenizer, PROSE * 20 + PROSE.replace(" ", ""), vocab_size, progress=False)
    return tokenizer


@pytest.mark.whole
@pytest.mark.parametrize(("pattern", "millions"), [(None, 1), ("gpt2", 1), ("gpt4", 10)])
def test_millions_of_spaces(pattern, millions, capfd):
    ids = with_spaces(pattern).encode_fast(" " * millions * 1_000_000)
    # 10,000,000 = 9765 * 1024 + 512 + 128, and 1,000,000 = 976 * 1024 + 512 + 64
    assert ids == {1: [266] * 976 + [265, 262], 10: [266] * 9765 + [265, 263]}[millions]
    assert capfd.readouterr().err == "", "no panic of the library shows"


@pytest.mark.sample(1)
@pytest.mark.parametrize("pattern", PATTERNS)
def test_special_tokens_far_apart(pattern):
    ids = with_spaces(pattern).encode_fast(" " * 1_000_000 + "<|end|>" + " " * 1024)
    assert ids == [266] * 976 + [265, 262, 256, 266]


@pytest.mark.whole
@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("text", [PROSE, PROSE.replace(" ", ""), "ab", "aaab" * 50, "中文", "\n", "7"])
def test_a_long_text_of_parts_decodes_to_itself_and_ends_as_its_end_does(pattern, text):
    tokenizer = of_prose(pattern)
    long_text = text * (1_200_000 // len(text.encode()))
    ids = tokenizer.encode_fast(long_text)
    assert b"".join(map(tokenizer.vocab.__getitem__, ids)) == long_text.encode()
    if pattern is not None:
        # Encoded in blocks by the library itself; a text of this kind is short enough for it.
        assert tokenizer.encode_fast(long_text[:60_000]) == to_hf(tokenizer).encode(long_text[:60_000]).ids


@pytest.mark.parametrize("pattern", PATTERNS)
@given(text=st.text(st.sampled_from("abe st'\n1é中 "), max_size=300))
def test_long_texts_have_the_ids_of_short_ones(pattern, text):
    tokenizer = of_prose(pattern, 320)
    expected = tokenizer.encode(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast, "SHORT_TEXT", 0)
        patch.setattr(encoding, "WINDOW", 7)
        patch.setattr(encoding, "OUTPUT", 7)
        assert tokenizer.encode_fast(text) == expected


@given(
    merges=st.lists(st.tuples(st.integers(97, 98), st.integers(97, 98)), unique=True, max_size=4),
    later=st.lists(st.tuples(st.sampled_from([97, 98, *range(256, 262)]), st.sampled_from([97, 98, *range(256, 262)]))),
    text=st.text("ab", min_size=1, max_size=400),
)
def test_a_piece_merged_in_windows_has_the_ids_of_the_whole(merges, later, text):
    tokenizer = BPETokenizer()
    for pair in [*merges, *later]:
        if pair not in tokenizer.merges and max(pair) < tokenizer.vocab_size and len(tokenizer.merges) < 12:
            token = tokenizer.vocab[pair[0]] + tokenizer.vocab[pair[1]]
            if len(token) <= 16 and token not in tokenizer.vocab.values():
                tokenizer.merges[pair] = tokenizer.vocab_size
                tokenizer.vocab[tokenizer.vocab_size] = token
    tables = encoding.Tables.of(tokenizer.merges, None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "WINDOW", 1)
        encoder = encoding.Encoder(tables, slots=16)
    ids = [token_id for some in encoder.encode(text.encode()) for token_id in some.tolist()]
    assert ids == tokenizer.encode(text)


def every_pair(letters):
    """A text in which every pair of these letters occurs exactly once."""
    unused, path, text = {letter: list(letters) for letter in letters}, [letters[0]], []
    while path:
        if unused[path[-1]]:
            path.append(unused[path[-1]].pop())
        else:
            text.append(path.pop())
    return "".join(text)


@pytest.mark.parametrize("letters", ["abcdefghijklmnop", "abcdefghijklmnopq"], ids=len)
def test_the_end_of_a_piece_may_decide_about_its_beginning(letters):
    # Every pair of the text is a merge, the last one has the first rank, and each excludes the one before it. So
    # whether the first letter is merged depends on whether the length is even.
    text = every_pair(letters)
    tokenizer = BPETokenizer()
    for left, right in reversed(list(zip(text.encode(), text.encode()[1:]))):
        tokenizer.vocab[tokenizer.vocab_size] = bytes([left, right])
        tokenizer.merges[left, right] = tokenizer.vocab_size - 1
    tables = encoding.Tables.of(tokenizer.merges, None)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(encoding, "WINDOW", 32)
        encoder = encoding.Encoder(tables, slots=16)
    ids = [token_id for some in encoder.encode(text.encode()) for token_id in some.tolist()]
    assert ids == tokenizer.encode(text)


@pytest.mark.parametrize("pattern", PATTERNS)
def test_without_any_spaces_time_grows_with_the_length(pattern):
    tokenizer = of_prose(pattern)
    text = PROSE.replace(" ", "").replace("\n", "")
    tokenizer.encode_fast(text)

    def seconds(length):
        started = time.process_time()
        tokenizer.encode_fast(text * (length // len(text)))
        return time.process_time() - started

    short, long = seconds(200_000), seconds(1_600_000)
    assert long < 3 * 8 * short + 1, f"{short:.2f} s for 200 kB, but {long:.2f} s for 1.6 MB"
