"""I multiply the probabilities and take the logarithm of the product.

Mistake: the probability of a long text becomes 0
Why: Stay in logarithms: add the scores, and change the sign of the sum.
Pitfall: logarithms
Caught by: TestSegmentationLoss
"""

import math

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def segmentation_loss(self, tokens):
        probability = 1.0
        for token in tokens:
            if token != self.unk_token and token not in self.scores:
                raise ValueError(f"The token {token!r} is not in the vocabulary.")
            probability *= math.exp(self.unk_score if token == self.unk_token else self.scores[token])
        return -math.log(probability) + 0.0
