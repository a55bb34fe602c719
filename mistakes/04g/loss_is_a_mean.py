"""A long segmentation must not be worse than a short one.

Mistake: the loss is divided by the number of tokens
Why: The loss is the sum: more tokens may cost more.
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
            loss -= self.unk_score if token == self.unk_token else self.scores[token]
        tokens = list(tokens)
        return loss / len(tokens) if tokens else 0.0
