"""The table has every token.

Mistake: a KeyError for a token that is not in the vocabulary
Why: Raise a ValueError that names the token.
Pitfall: unknown
Caught by: TestSegmentationLoss
"""

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def segmentation_loss(self, tokens):
        table = self.scores | {self.unk_token: self.unk_score}
        return 0.0 - sum(table[token] for token in tokens)
