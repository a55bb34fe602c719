"""The probability of a segmentation is the product; the loss is minus its logarithm.

Mistake: the product of a long segmentation is 0.
"""

import math

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def segmentation_loss(self, tokens):
        p = 1.0
        for token in tokens:
            if token != self.unk_token and token not in self.scores:
                raise ValueError(f"The token {token!r} is not in the vocabulary.")
            p *= math.exp(self.unk_score if token == self.unk_token else self.scores[token])
        return -math.log(p) + 0.0
