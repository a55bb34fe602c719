"""Without the token its text costs the loss of the other path.

Mistake: the loss of the token itself is not subtracted
Why: Only the difference is lost: subtract what the token costs now.
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
            if token != self.unk_token and len(token) > 1:
                instead = self.segmentation_loss(self.best_path(token, without=token))
                losses[token] = counts.get(token, 0) * instead
        return losses
