"""Tokens with more than one character.

Mistake: the unknown token is in the result, because its name has several characters.
"""

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def removal_losses(self, words):
        used = {}
        for w, n in words.items():
            for t in self.best_path(w):
                used[t] = used.get(t, 0) + n
        out = {}
        for t in self.scores:
            if len(t) > 1:
                other = self.segmentation_loss(self.best_path(t, t))
                out[t] = used.get(t, 0) * (other - self.segmentation_loss([t]))
        return out
