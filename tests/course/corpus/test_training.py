"""Exact training on corpora gives the merges of plain training, whatever the shards and the workers."""

import warnings
from collections import Counter
from pydoc_data.topics import topics

import pytest

from g2c.common.errors import CorpusError
from g2c.corpus.training import count_corpus_words, train_exact_corpus
from g2c.solutions.bpe import BPETokenizer

END = "<|endoftext|>"
TEXT = "\n\n".join(topics[name] for name in sorted(topics))[:150_000]
PATTERNS = ["gpt2", "gpt4", r"\S+|\s+"]


@pytest.fixture
def corpus(tmp_path):
    path = tmp_path / "corpus.txt"
    path.write_bytes(TEXT.encode())
    return path


@pytest.mark.parametrize("pattern", PATTERNS)
@pytest.mark.parametrize("workers", [1, 2])
def test_words_are_those_of_the_text_in_order_of_first_appearance(corpus, pattern, workers):
    tokenizer = BPETokenizer([END], pattern=pattern)
    words = count_corpus_words(tokenizer, corpus, workers=workers, shard_bytes=20_000, progress=False)
    assert list(words.items()) == list(Counter(tokenizer._pieces(TEXT)).items())


def test_special_tokens_and_ends_of_documents_are_barriers():
    documents = ["ab", f"ab{END}ab", "xa", "b!"] * 10
    tokenizer = BPETokenizer([END], pattern=r"[^!]+|!")
    words = count_corpus_words(tokenizer, iter(documents), workers=1, progress=False)
    assert dict(words.items()) == {b"ab": 30, b"xa": 10, b"b": 10, b"!": 10}


def test_a_corpus_of_nothing_but_special_tokens():
    tokenizer = BPETokenizer([END], pattern="gpt2")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        train_exact_corpus(tokenizer, iter([END, ""]), 300, workers=1, progress=False)
    assert tokenizer.merges == {}
    assert "too small" in str(caught[0].message)


def test_bad_input_is_told_and_the_tokenizer_stays_as_it_was(tmp_path):
    tokenizer = BPETokenizer(pattern="gpt4")
    tokenizer.train_exact("ab ab", 257)
    before = dict(tokenizer.merges)
    (tmp_path / "corpus.txt").write_bytes(b"fine, then \xff")
    with pytest.raises(CorpusError, match="byte 11"):
        train_exact_corpus(tokenizer, tmp_path / "corpus.txt", 300, progress=False)
    with pytest.raises(ValueError, match="vocab_size is 100, but it must be at least"):
        train_exact_corpus(tokenizer, iter(["text"]), 100, progress=False)
    with pytest.raises(ValueError, match="Without a pattern"):
        train_exact_corpus(BPETokenizer(), iter(["text"]), 300, progress=False)
    assert tokenizer.merges == before
