"""Probabilities are multiplied.

Mistake: scores are multiplied
Why: The scores are logarithms: add them.
Pitfall: loss
Caught by: TestSegmentationLoss
"""

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def segmentation_loss(self, tokens):
        loss = 1.0
        for token in tokens:
            if token != self.unk_token and token not in self.scores:
                raise ValueError(f"The token {token!r} is not in the vocabulary.")
            loss *= self.unk_score if token == self.unk_token else self.scores[token]
        return -loss
