"""The unknown token is not in the text, so it costs nothing.

Mistake: the unknown token costs 0.
"""

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def segmentation_loss(self, tokens):
        loss = 0.0
        for token in tokens:
            if token == self.unk_token:
                continue
            if token not in self.scores:
                raise ValueError(f"unknown token {token}")
            loss -= self.scores[token]
        return loss
