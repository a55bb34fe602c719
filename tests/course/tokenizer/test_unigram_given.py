"""The given part of UnigramTokenizer: training ends, whatever the exercises return."""

import pytest

from g2c.solutions.unigram import UnigramTokenizer

TEXT = "the hugs and the bugs, the mugs and the jugs; she hugs the bug and the bug hugs the mug " * 3


@pytest.mark.parametrize("losses", [{}, {"a token": 1.0}], ids=["none", "of another vocabulary"])
def test_training_that_cannot_remove_a_token_ends_with_an_error(losses):
    class Unfinished(UnigramTokenizer):
        def removal_losses(self, words):
            return losses

    tokenizer = Unfinished()
    with pytest.raises(ValueError, match=r"removal_losses returned no token of the vocabulary, which has \d+ tokens"):
        tokenizer.train(TEXT, 30)
    assert tokenizer.vocab_size > 30
