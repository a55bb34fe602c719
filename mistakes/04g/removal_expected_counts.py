"""How often a token is used, say the expected counts.

Mistake: expected counts are used and not best paths
Why: Count in the best paths of the words.
Pitfall: removal
Caught by: TestRemovalLosses
"""

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def removal_losses(self, words):
        counts = {}
        for word, frequency in words.items():
            for token, count in self.expected_counts(word).items():
                counts[token] = counts.get(token, 0) + count * frequency
        losses = {}
        for token in self.scores:
            if token != self.unk_token and len(token) > 1:
                instead = self.segmentation_loss(self.best_path(token, without=token))
                losses[token] = counts.get(token, 0) * (instead - self.segmentation_loss([token]))
        return losses
