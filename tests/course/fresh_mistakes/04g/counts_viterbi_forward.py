"""forward is the best score to each position, as in best_path.

Mistake: max is used in place of the sum in forward and backward.
"""

import math

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def expected_counts(self, text):
        n = len(text)
        f, b = [0.0] + [-math.inf] * n, [-math.inf] * n + [0.0]
        edges = self.lattice(text)
        for e in edges:
            f[e.end] = max(f[e.end], f[e.start] + e.score)
        for e in reversed(edges):
            b[e.start] = max(b[e.start], b[e.end] + e.score)
        out = {}
        for e in edges:
            out[e.token] = out.get(e.token, 0.0) + math.exp(f[e.start] + e.score + b[e.end] - f[n])
        return out
