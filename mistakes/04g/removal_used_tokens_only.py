"""Tokens that are not used are not missed.

Mistake: tokens that are not used are left out
Why: They have the removal loss 0: exactly these are removed first.
Pitfall: removal
Caught by: TestRemovalLosses
"""

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def removal_losses(self, words):
        counts = {}
        for word, frequency in words.items():
            for token in self.best_path(word):
                counts[token] = counts.get(token, 0) + frequency
        losses = {}
        for token in self.scores:
            if token in counts and token != self.unk_token and len(token) > 1:
                instead = self.segmentation_loss(self.best_path(token, without=token))
                losses[token] = counts.get(token, 0) * (instead - self.segmentation_loss([token]))
        return losses
