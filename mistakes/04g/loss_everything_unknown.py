"""What is not in the table is unknown.

Mistake: a token outside the vocabulary is taken for unknown
Why: Only self.unk_token stands for an unknown character; any other token is an error.
Pitfall: unknown
Caught by: TestSegmentationLoss
"""

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def segmentation_loss(self, tokens):
        table = self.scores | {self.unk_token: self.unk_score}
        return 0.0 - sum(table.get(token, self.unk_score) for token in tokens)
