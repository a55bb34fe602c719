"""The methods of fast.py: every way to encode gives the IDs of encode; train_fast learns what train_exact learns."""

import random
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pydoc_data.topics import topics

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from g2c.engine import fast
from g2c.engine.counting import WordCounts
from g2c.engine.exact import train_on_words
from g2c.engine.fast import CHUNK, encode_fast, encode_ordinary_fast, encode_texts, train_fast
from g2c.solutions.bpe import BPETokenizer

SPECIAL_TOKENS = [(), ("<|end|>", "aXb"), ("<|end|>", "<|end|><|end|>", "<|x", "<|x|>"), ("ab", "abc", "中")]
OWN_PATTERN = r"[^\s\p{L}]?\p{L}+|\p{N}{1,3}+|\s+$|\s|."
PIECES = [
    *("a", "b", "c", "ab", "abc", "the", " the", "x", "'s", "'LL", "'", "ß", "ss", "ſ", "the theme of the thesis"),
    *("é", "中", "文字", "👋", "\u0301", " ", "  ", "     ", "\t", "\n", "\n\n", "\r\n", "1", "12", "2024", "aaaaaaa"),
    *(".", ",", "...", "/", "\ufeff", "\0", "<|end|>", "<|end|><|end|>", "<|e", "nd|>", "<|x", "<|x|>", "aXb"),
]  # fmt: skip
TEXTS = st.lists(st.sampled_from(PIECES) | st.text(max_size=6), max_size=12).map("".join)
TEXT = "\n".join(topics.values())

pytestmark = pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")


@pytest.fixture(params=[None, "gpt2", "gpt4"], ids=str)
def trained(request) -> BPETokenizer:
    tokenizer = BPETokenizer.with_course_special_tokens(request.param)
    tokenizer.train_exact(TEXT[:100_000], 1000)
    return tokenizer


# --- training ---------------------------------------------------------------------------------------------------------


@given(TEXTS, st.sampled_from(SPECIAL_TOKENS), st.sampled_from(["gpt2", "gpt4", "[ab]+"]), st.integers(0, 40))
def test_training_on_any_text_equals_train_exact(text, special_tokens, pattern, more):
    rust, exact = (BPETokenizer(special_tokens, pattern) for _ in range(2))
    rust.train_fast(text, rust.base_vocab_size + more)
    exact.train_exact(text, rust.base_vocab_size + more, ties="lowest-id")
    assert list(rust.merges.items()) == list(exact.merges.items())


@pytest.mark.timeout(20)
@pytest.mark.parametrize("pattern", [None, "gpt2"])
def test_text_without_a_pattern_and_a_long_piece_are_cut_into_chunks(pattern):
    """Otherwise, the time would grow with the square of their length."""
    text = "".join(random.Random(4).choices("ACGT", k=100_000)) if pattern else TEXT[:30_000]
    rust, exact = BPETokenizer(pattern=pattern), BPETokenizer()
    train_fast(rust, text, 500)
    chunks = [text[begin : begin + CHUNK].encode() for begin in range(0, len(text), CHUNK)]
    train_on_words(exact, WordCounts.of((chunk, 1) for chunk in chunks), 500, ties="lowest-id")
    assert list(rust.merges.items()) == list(exact.merges.items())


# --- encoding ---------------------------------------------------------------------------------------------------------


@settings(max_examples=100)
@given(
    st.data(),
    st.sampled_from(SPECIAL_TOKENS),
    st.sampled_from([None, "gpt2", "gpt4", OWN_PATTERN, "a*"]),
    st.integers(0, 60),
)
def test_every_way_to_encode_gives_the_ids_of_encode(data, special_tokens, pattern, more):
    tokenizer, corpus, text = BPETokenizer(special_tokens, pattern), data.draw(TEXTS), data.draw(TEXTS)
    tokenizer.train_exact(corpus * 2, tokenizer.base_vocab_size + more)
    text += corpus
    assert encode_fast(tokenizer, text) == tokenizer.encode(text)
    assert encode_texts(tokenizer, [corpus, "", text]) == tokenizer.encode(corpus) + tokenizer.encode(text)
    assert encode_ordinary_fast(tokenizer, text) == tokenizer.encode_ordinary(text)


def test_a_regex_that_takes_forever_is_named_when_it_does():
    tokenizer = BPETokenizer(pattern="(a+)+b")
    assert encode_fast(tokenizer, "aab") == tokenizer.encode("aab")
    for take in (encode_fast, partial(train_fast, vocab_size=300)):
        with pytest.raises(ValueError, match="the pattern takes forever"):
            take(tokenizer, "a" * 40)
    assert tokenizer.merges == {}


def test_tables_are_built_once(trained):
    fast._tables.cache_clear()
    fast._encoder.cache_clear()
    for _ in range(3):
        encode_fast(trained, "Hello " * 100)
        encode_ordinary_fast(trained, "Hello<|end|>" * 100)
    assert fast._tables.cache_info().misses == 1


def test_threads_do_not_share_an_encoder(trained):
    texts = [TEXT[begin : begin + 20_000] for begin in range(0, 200_000, 20_000)]
    expected = [encode_fast(trained, text) for text in texts]
    with ThreadPoolExecutor(4) as threads:
        for _ in range(3):
            assert list(threads.map(lambda text: encode_fast(trained, text), texts)) == expected


@pytest.mark.parametrize("encode", [encode_fast, encode_ordinary_fast])
def test_what_is_no_text_is_refused(encode):
    for text, message in ((b"bytes", "must be a str"), ("\ud83d", "lone surrogate")):
        with pytest.raises((TypeError, ValueError), match=message):
            encode(BPETokenizer(), text)


# --- decoding ---------------------------------------------------------------------------------------------------------


def test_bytes_are_not_replaced(trained):
    assert BPETokenizer(["<|end|>"]).decode_bytes(np.array([255, 256], np.uint32)) == b"\xff<|end|>"
    ids = encode_fast(trained, "é👋🏽中文<|end|>\u0301")
    for end in range(len(ids)):
        assert trained.decode(ids[:end]) == trained.decode_bytes(iter(ids[:end])).decode(errors="replace")


@pytest.mark.parametrize("ids", ["ab", [[1, 2]], np.array([[1, 2]]), np.array([1.5]), [97, 257], [97, -1]])
def test_what_is_no_id_is_named(ids):
    with pytest.raises((TypeError, ValueError), match="must be integers, one by one, but|no token with ID (257|-1) in"):
        BPETokenizer(["<|end|>"]).decode_bytes(ids)
