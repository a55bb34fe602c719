"""An edge has the probability of all paths through it.

Mistake: the probability of the whole text is not divided out.
"""

import math

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey
from g2c.tokenizer.unigram import log_sum_exp


class UnigramTokenizer(AnswerKey):
    def expected_counts(self, text):
        n = len(text)
        edges = self.lattice(text)
        f, b = [0.0] * (n + 1), [0.0] * (n + 1)
        for p in range(1, n + 1):
            f[p] = log_sum_exp([f[e.start] + e.score for e in edges if e.end == p])
        for p in range(n - 1, -1, -1):
            b[p] = log_sum_exp([b[e.end] + e.score for e in edges if e.start == p])
        out = {}
        for e in edges:
            out[e.token] = out.get(e.token, 0.0) + math.exp(f[e.start] + e.score + b[e.end])
        return out
