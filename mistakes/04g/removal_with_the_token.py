"""The best path of the token's text.

Mistake: the token is replaced by itself
Why: The best path must not use the token: without=token.
Pitfall: without
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
            if token != self.unk_token and len(token) > 1:
                instead = self.segmentation_loss(self.best_path(token))
                losses[token] = counts.get(token, 0) * (instead - self.segmentation_loss([token]))
        return losses
