"""forward is computed with alpha, the draw with the scores.

Mistake: alpha is missing in the weights of the draw.
"""

import math
from random import Random

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey
from g2c.tokenizer.unigram import log_sum_exp


class UnigramTokenizer(AnswerKey):
    def sample_path(self, text, seed, alpha=1.0):
        rng = Random(seed)
        edges = self.lattice(text)
        f = [0.0] * (len(text) + 1)
        for p in range(1, len(text) + 1):
            f[p] = log_sum_exp([f[e.start] + alpha * e.score for e in edges if e.end == p])
        out, at = [], len(text)
        while at:
            here = [e for e in edges if e.end == at]
            e = rng.choices(here, [math.exp(f[x.start] + x.score - f[at]) for x in here])[0]
            out.insert(0, e.token)
            at = e.start
        return out
