"""The given part of the tokenizers whose tokens are text: what they refuse, and that training ends."""

import re

import pytest

from g2c.solutions.unigram import UnigramTokenizer
from g2c.solutions.word_bpe import WordBPETokenizer
from g2c.solutions.wordpiece import WordPieceTokenizer

LOW = {"low": 5, "lower": 2, "lowest": 1}


@pytest.mark.parametrize(
    ("corpus", "num_merges", "error", "message"),
    [
        (LOW, -1, ValueError, "num_merges is -1"),
        ({"two words": 1}, 2, ValueError, "'two words'"),
        ({"": 1}, 2, ValueError, r"A word must not be empty\.$"),
        ({"low": 0}, 2, ValueError, "'low' is 0"),
        ("a\ud83d", 2, ValueError, "lone surrogate"),
        *((corpus, 2, TypeError, None) for corpus in (b"low", ["low"], {"low": 1.5}, {"low": True}, {3: 1})),
        *((LOW, number, TypeError, "num_merges must be an integer") for number in ("2", 20.0)),
    ],
    ids=repr,
)
def test_what_is_no_corpus_or_number_of_merges_is_refused_and_nothing_is_lost(corpus, num_merges, error, message):
    tokenizer = WordBPETokenizer(end_of_word="_")
    tokenizer.train(LOW, num_merges=2)
    with pytest.raises(error, match=message):
        tokenizer.train(corpus, num_merges)
    assert tokenizer.merges == [("l", "o"), ("lo", "w")]


def test_a_next_merge_that_merge_does_not_find_ends_with_an_error():
    class Wrong(WordBPETokenizer):
        def _next_merge(self, symbols):
            return "x", "y"

    with pytest.raises(RuntimeError, match="nothing to join"):
        Wrong().trace("low")


def test_a_marker_without_a_word_and_an_unknown_token_between_pieces_end_no_word():
    tokenizer = WordBPETokenizer(end_of_word="_")
    tokenizer.train(LOW, num_merges=2)
    ids = [tokenizer.token_to_id["_"], *tokenizer.encode("lo!w low")]
    assert tokenizer.decode(ids) == "lo[UNK]w low"
    assert tokenizer.decode(ids, skip_special_tokens=True) == "low low"


@pytest.mark.parametrize(
    ("cls", "step", "pair"),
    [(WordBPETokenizer, "learn_merge", ("l", "o")), (WordPieceTokenizer, "learn_piece", ("##s", "##t"))],
)
def test_training_with_a_step_that_joins_nothing_ends_and_says_so(cls, step, pair, monkeypatch):
    right = getattr(cls, step)
    monkeypatch.setattr(cls, step, lambda tokenizer, words: (words, *right(tokenizer, words)[1:]))
    with pytest.raises(ValueError, match=re.escape(f"{step} returned the pair {pair} twice in a row")):
        cls().train(LOW, 99)


@pytest.mark.parametrize("losses", [{}, {"a token": 1.0}], ids=["none", "of another vocabulary"])
def test_training_that_cannot_remove_a_token_ends_and_says_so(losses, monkeypatch):
    monkeypatch.setattr(UnigramTokenizer, "removal_losses", lambda tokenizer, words: losses)
    with pytest.raises(ValueError, match=r"removal_losses returned no token of the vocabulary, which has \d+ tokens"):
        UnigramTokenizer().train("the hugs and the bugs, the mugs and the jugs; she hugs the bug " * 3, 25)
