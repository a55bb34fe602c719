"""The three ways to train take the same: a text or an iterable of texts, and give IDs or None."""

from pydoc_data.topics import topics

import pytest

from g2c.common.errors import VocabularyNotReached
from g2c.solutions.bpe import BPETokenizer

TEXTS = [text[:400] for text in list(topics.values())[:12]]
METHODS = ("train", "train_exact", "train_fast")


@pytest.mark.parametrize("pattern", [None, "gpt2"])
def test_an_iterable_of_texts_gives_train_and_train_exact_the_same(pattern):
    plain, exact = BPETokenizer(["<|end|>"], pattern), BPETokenizer(["<|end|>"], pattern)
    ids = plain.train(TEXTS, 320, progress=False)
    assert exact.train_exact(iter(TEXTS), 320, progress=False) == ids
    assert (exact.merges, exact.vocab, len(plain.merges)) == (plain.merges, plain.vocab, 63)
    assert ids == [token_id for text in TEXTS for token_id in plain.encode(text)]


@pytest.mark.parametrize("name", METHODS)
@pytest.mark.parametrize(
    ("text", "vocab_size", "error", "message"),
    [
        (b"the", 300, TypeError, "bytes"),
        (5, 300, TypeError, "int"),
        (["the", 5], 300, TypeError, "int"),
        ("the \ud83d", 300, ValueError, "lone surrogate"),
        ("the", 256, ValueError, "vocab_size is 256, but it must be at least 257"),
        ("the", 300.0, TypeError, "300.0"),
        ("the", True, TypeError, "True"),
        ("the", 2_000_001, ValueError, "vocab_size is above 2,000,000"),
    ],
)
def test_what_is_refused_changes_nothing(name, text, vocab_size, error, message):
    tokenizer = BPETokenizer(["<|end|>"])
    tokenizer.train("the the", 258)
    with pytest.raises(error, match=message):
        getattr(tokenizer, name)(text, vocab_size)
    assert tokenizer.merges == {(116, 104): 257}
    assert tokenizer.vocab_size == 258


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("name", METHODS)
def test_earlier_training_is_forgotten_and_a_vocabulary_that_is_just_reached_does_not_warn(name):
    tokenizer = BPETokenizer()
    for text in ("xy", "ab"):
        getattr(tokenizer, name)(text, 257)
    assert tokenizer.merges == {(97, 98): 256}
    assert tokenizer.vocab_size == 257


@pytest.mark.parametrize("name", METHODS)
def test_a_vocabulary_that_is_not_reached_is_told(name):
    for text, merges in (("aba", 2), (["ab", "", "ab", "c", "ab"], 1), ([], 0)):  # No pair crosses between two texts.
        tokenizer = BPETokenizer(["<|end|>"])
        with pytest.warns(VocabularyNotReached, match="the vocabulary has 2.. tokens, not the 400 requested") as told:
            ids = getattr(tokenizer, name)(text, 400, progress=False)
        assert len(tokenizer.merges) == merges
        assert bool(ids) == (name != "train_fast" and text != [])
        assert name == "train_exact" or [warning.filename for warning in told] == [__file__]
