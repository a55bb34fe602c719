"""The loss is the sum of the scores.

Mistake: the sign of the sum is not changed
Why: Scores are negative; the loss is the negative of their sum.
Pitfall: loss
Caught by: TestSegmentationLoss
"""

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def segmentation_loss(self, tokens):
        loss = 0.0
        for token in tokens:
            if token != self.unk_token and token not in self.scores:
                raise ValueError(f"The token {token!r} is not in the vocabulary.")
            loss += self.unk_score if token == self.unk_token else self.scores[token]
        return loss
