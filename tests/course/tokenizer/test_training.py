"""The three ways to train take the same: a text or an iterable of texts, and give IDs or None."""

import pytest

from g2c.common.errors import VocabularyNotReached
from g2c.solutions.bpe import BPETokenizer

METHODS = ("train", "train_exact", "train_fast")


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
@pytest.mark.filterwarnings("error")
def test_what_is_refused_changes_nothing_and_training_again_forgets(name, text, vocab_size, error, message):
    tokenizer = BPETokenizer(["<|end|>"])
    tokenizer.train("the the", 258)
    with pytest.raises(error, match=message):
        getattr(tokenizer, name)(text, vocab_size)
    assert (tokenizer.merges, tokenizer.vocab_size) == ({(116, 104): 257}, 258)
    getattr(tokenizer, name)("ab", 258)
    assert (tokenizer.merges, tokenizer.vocab_size) == ({(97, 98): 257}, 258)


@pytest.mark.parametrize("name", METHODS)
def test_a_vocabulary_that_is_not_reached_is_told(name):
    for text, merges in (("aba", 2), (["ab", "", "ab", "c", "ab"], 1), ([], 0)):  # No pair crosses between two texts.
        tokenizer = BPETokenizer(["<|end|>"])
        with pytest.warns(VocabularyNotReached, match="the vocabulary has 2.. tokens, not the 400 requested") as told:
            ids = getattr(tokenizer, name)(text, 400, progress=False)
        assert len(tokenizer.merges) == merges
        assert bool(ids) == (name != "train_fast" and text != [])
        assert name == "train_exact" or [warning.filename for warning in told] == [__file__]
