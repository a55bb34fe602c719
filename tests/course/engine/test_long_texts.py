"""Texts that are long where texts are not: right IDs, in time that grows with the length and not with its square."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from g2c.engine import fast, merging, vectorized
from g2c.engine.exact import train_exact
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
        assert (
            tokenizer.encode_fast(long_text[:60_000]) == fast.rust_tokenizer(tokenizer).encode(long_text[:60_000]).ids
        )


@pytest.mark.parametrize("pattern", PATTERNS)
@settings(max_examples=60, deadline=None)
@given(text=st.text(st.sampled_from("abe st'\n1é中 "), max_size=300))
def test_long_texts_have_the_ids_of_short_ones(pattern, text):
    tokenizer = of_prose(pattern, 320)
    expected = tokenizer.encode(text)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(fast, "NUMPY_FROM", 10)
        patch.setattr(fast, "BLOCK", 5)
        patch.setattr(fast, "WINDOW", 48)
        patch.setattr(merging, "WINDOW", 7)
        patch.setattr(vectorized, "MOST_UNMERGED", 7)
        assert tokenizer.encode_fast(text) == expected


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
