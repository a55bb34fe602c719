"""The unknown token is <unk>.

Mistake: the unknown token is written out
Why: Its name is in self.unk_token.
Pitfall: unknown
Caught by: TestSegmentationLoss
"""

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def segmentation_loss(self, tokens):
        loss = 0.0
        for token in tokens:
            if token != "<unk>" and token not in self.scores:
                raise ValueError(f"The token {token!r} is not in the vocabulary.")
            loss -= self.unk_score if token == "<unk>" else self.scores[token]
        return loss
