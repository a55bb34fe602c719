"""The methods of fast.py: train_fast against train_exact, encode_fast against encode, and decoding to bytes."""

import random
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from g2c.corpus.corpora import load_corpus
from g2c.engine import fast
from g2c.engine.counting import WordCounts
from g2c.engine.exact import train_on_words
from g2c.engine.fast import CHUNK, encode_fast, encode_ordinary_fast, train_fast
from g2c.solutions.bpe import BPETokenizer

SPECIAL_TOKENS = ("<|end|>", "aXb")

TEXTS = st.lists(
    st.one_of(
        st.text("abc de1\n'", max_size=15),
        st.text("aé中👋 \u0301\x00", max_size=6),
        st.text(max_size=6),
        st.sampled_from("ab ").flatmap(lambda char: st.integers(1, 9).map(lambda times: char * times)),
        st.sampled_from([*SPECIAL_TOKENS, "the theme of the thesis"]),
    ),
    max_size=6,
).map("".join)
PATTERNS = st.sampled_from([None, "gpt2", "gpt4", "[ab]+"])
TOKENIZERS = st.builds(BPETokenizer, st.sampled_from([(), SPECIAL_TOKENS]), PATTERNS)

pytestmark = pytest.mark.filterwarnings("ignore::g2c.common.errors.VocabularyNotReached")


@pytest.fixture(scope="module")
def real_text() -> str:
    return load_corpus("pydocs").text


@pytest.fixture(params=[None, "gpt2", "gpt4"], ids=str)
def trained(request, real_text) -> BPETokenizer:
    tokenizer = BPETokenizer.with_course_special_tokens(request.param)
    tokenizer.train_exact(real_text[:100_000], 1000)
    return tokenizer


def assert_same_merges(tokenizer, expected):
    assert list(tokenizer.merges.items()) == list(expected.merges.items())
    assert list(tokenizer.vocab.items()) == list(expected.vocab.items())


# --- training ---------------------------------------------------------------------------------------------------------


@given(TEXTS, st.sampled_from([(), SPECIAL_TOKENS]), st.sampled_from(["gpt2", "gpt4", "[ab]+"]), st.integers(0, 40))
def test_training_on_any_text_equals_train_exact(text, special_tokens, pattern, more):
    rust, exact = (BPETokenizer(special_tokens, pattern) for _ in range(2))
    rust.train_fast(text, rust.base_vocab_size + more)
    exact.train_exact(text, rust.base_vocab_size + more, ties="lowest-id")
    assert_same_merges(rust, exact)


@pytest.mark.timeout(20)
@pytest.mark.parametrize("pattern", [None, "gpt2"])
def test_text_without_a_pattern_and_a_long_piece_are_cut_into_chunks(real_text, pattern):
    """Otherwise, the time would grow with the square of their length."""
    text = "".join(random.Random(4).choices("ACGT", k=100_000)) if pattern else real_text[:30_000]
    rust, exact = BPETokenizer(pattern=pattern), BPETokenizer()
    train_fast(rust, text, 500)
    chunks = [text[begin : begin + CHUNK].encode() for begin in range(0, len(text), CHUNK)]
    train_on_words(exact, WordCounts.of((chunk, 1) for chunk in chunks), 500, ties="lowest-id")
    assert_same_merges(rust, exact)


# --- encoding ---------------------------------------------------------------------------------------------------------


@given(st.data(), TOKENIZERS, TEXTS, st.integers(0, 40))
def test_encoding_equals_encode(data, tokenizer, corpus, more):
    tokenizer.train_exact(corpus * 2, tokenizer.base_vocab_size + more)
    for text in (data.draw(TEXTS), corpus):
        assert encode_fast(tokenizer, text) == tokenizer.encode(text)
        assert encode_ordinary_fast(tokenizer, text) == tokenizer.encode_ordinary(text)


def test_real_text(trained, real_text):
    """The whole text, and a part of it from many places through the plain algorithm."""
    assert trained.decode(encode_fast(trained, real_text)) == real_text
    part = "\n".join(real_text[begin : begin + 300] for begin in range(0, len(real_text), 60_000))
    assert encode_fast(trained, part) == trained.encode(part)


def test_a_regex_that_takes_forever_is_named_when_it_does():
    tokenizer = BPETokenizer(pattern="(a+)+b")
    assert encode_fast(tokenizer, "aab") == tokenizer.encode("aab")
    for take in (encode_fast, partial(train_fast, vocab_size=300)):
        with pytest.raises(ValueError, match="the pattern takes forever"):
            take(tokenizer, "a" * 40)
    assert tokenizer.merges == {}


# --- what is kept between calls ---------------------------------------------------------------------------------------


def test_tables_are_built_once(trained, monkeypatch):
    built, build = [], fast.Tables.of
    monkeypatch.setattr(fast.Tables, "of", lambda table: built.append(table) or build(table))
    fast._tables.cache_clear()
    fast._encoder.cache_clear()
    for _ in range(3):
        encode_fast(trained, "Hello " * 100)
        encode_ordinary_fast(trained, "Hello<|end|>" * 100)
        trained.encode_batch(["Hello " * 100])
        list(trained.encode_iterable(["Hello " * 100], allowed_special="none"))
    assert len(built) == 1


def test_threads_do_not_share_an_encoder(trained, real_text):
    texts = [real_text[begin : begin + 20_000] for begin in range(0, 200_000, 20_000)]
    expected = [encode_fast(trained, text) for text in texts]
    with ThreadPoolExecutor(4) as threads:
        for _ in range(3):
            assert list(threads.map(lambda text: encode_fast(trained, text), texts)) == expected


# --- decoding ---------------------------------------------------------------------------------------------------------


def test_bytes_are_not_replaced(trained, real_text):
    assert trained.decode_bytes([240, 159, 97]) == b"\xf0\x9fa"
    assert BPETokenizer(["<|end|>"]).decode_bytes(np.array([255, 256], np.uint32)) == b"\xff<|end|>"
    ids = encode_fast(trained, "é👋🏽中文<|end|>\u0301")
    for end in range(len(ids)):
        text = trained.decode_bytes(iter(ids[:end])).decode("utf-8", errors="replace")
        assert trained.decode(ids[:end]) == text


@pytest.mark.parametrize("ids", ["ab", ["a"], [[1, 2]], np.array([[1, 2]]), np.array([1.5]), [97, 257], [97, -1]])
def test_what_is_no_id_is_named(ids):
    message = "must be integers, one by one, but .* is of type|no token with ID (257|-1) in this vocabulary of 257"
    with pytest.raises((TypeError, ValueError), match=message):
        BPETokenizer(["<|end|>"]).decode_bytes(ids)
