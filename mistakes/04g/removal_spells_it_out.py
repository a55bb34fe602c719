"""Without the token its text is spelled in characters.

Mistake: the text is spelled in single characters
Why: Other tokens may fit: take the best path without the token.
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
                instead = self.segmentation_loss([c if c in self.scores else self.unk_token for c in token])
                losses[token] = counts.get(token, 0) * (instead - self.segmentation_loss([token]))
        return losses
