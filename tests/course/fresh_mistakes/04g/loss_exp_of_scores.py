"""The probability is the product, then one logarithm.

Mistake: the scores are taken for probabilities: their product is made before the logarithm.
"""

import math

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def segmentation_loss(self, tokens):
        product = 1.0
        for token in tokens:
            if token != self.unk_token and token not in self.scores:
                raise ValueError(token)
            product *= self.unk_score if token == self.unk_token else self.scores[token]
        return -math.log(abs(product))
