"""Each word is split once.

Mistake: the frequency of the words is ignored
Why: A token is used as often as its word occurs.
Pitfall: removal
Caught by: TestRemovalLosses
"""

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def removal_losses(self, words):
        counts = {}
        for word in words:
            for token in self.best_path(word):
                counts[token] = counts.get(token, 0) + 1
        losses = {}
        for token in self.scores:
            if token != self.unk_token and len(token) > 1:
                instead = self.segmentation_loss(self.best_path(token, without=token))
                losses[token] = counts.get(token, 0) * (instead - self.segmentation_loss([token]))
        return losses
