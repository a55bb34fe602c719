"""Counts divided by the number of words.

Mistake: the counts are divided by the number of words and not by the sum of the counts.
"""

import math

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey
from g2c.tokenizer.unigram import LEAST_COUNT


class UnigramTokenizer(AnswerKey):
    def em_step(self, words):
        c = {}
        for w, n in words.items():
            for t, x in self.expected_counts(w).items():
                c[t] = c.get(t, 0.0) + n * x
        kept = {}
        for t in self.scores:
            if t != self.unk_token and (len(t) == 1 or c.get(t, 0.0) >= LEAST_COUNT):
                kept[t] = max(c.get(t, 0.0), LEAST_COUNT)
        total = sum(words.values())
        return {
            t: s if t == self.unk_token else math.log(kept[t] / total)
            for t, s in self.scores.items()
            if t == self.unk_token or t in kept
        }
