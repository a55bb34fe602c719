"""Every token has its score in the table.

Mistake: the unknown token has the score of the table
Why: The table's score of the unknown token is not used: an unknown character costs unk_score.
Pitfall: unknown
Caught by: TestSegmentationLoss
"""

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def segmentation_loss(self, tokens):
        loss = 0.0
        for token in tokens:
            if token != self.unk_token and token not in self.scores:
                raise ValueError(f"The token {token!r} is not in the vocabulary.")
            loss -= self.scores[token]
        return loss
