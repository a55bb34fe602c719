"""What it costs now minus what it costs then.

Mistake: the difference has the wrong sign.
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
            if len(t) > 1 and t != self.unk_token:
                other = self.segmentation_loss(self.best_path(t, t))
                out[t] = used.get(t, 0) * (self.segmentation_loss([t]) - other)
        return out
