"""Every token can be removed.

Mistake: single characters are in the result
Why: They are never removed: only tokens of several characters.
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
            if token != self.unk_token:
                instead = self.segmentation_loss(self.best_path(token, without=token))
                losses[token] = counts.get(token, 0) * (instead - self.segmentation_loss([token]))
        return losses
