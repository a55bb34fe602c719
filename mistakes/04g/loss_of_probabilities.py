"""The loss is the negative logarithm of the score.

Mistake: the logarithm is taken again
Why: The scores are logarithms already.
Pitfall: loss
Caught by: TestSegmentationLoss
"""

import math

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def segmentation_loss(self, tokens):
        loss = 0.0
        for token in tokens:
            if token != self.unk_token and token not in self.scores:
                raise ValueError(f"The token {token!r} is not in the vocabulary.")
            loss -= self.unk_score if token == self.unk_token else self.scores[token]
        return -math.log(loss) if loss else 0.0
