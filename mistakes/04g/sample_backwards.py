"""From the end back to the start, and each token appended.

Mistake: the tokens are in reverse order
Why: You collect them from the end: turn the list around.
Pitfall: walk-back
Caught by: TestSamplePath
"""

import math
from random import Random

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey
from g2c.tokenizer.unigram import log_sum_exp


class UnigramTokenizer(AnswerKey):
    def sample_path(self, text, seed, alpha=1.0):
        rng = Random(seed)
        arriving = [[] for _ in range(len(text) + 1)]
        for edge in self.lattice(text):
            arriving[edge.end].append(edge)
        forward = [0.0] * (len(text) + 1)
        for p in range(1, len(text) + 1):
            forward[p] = log_sum_exp(forward[edge.start] + alpha * edge.score for edge in arriving[p])
        tokens = []
        position = len(text)
        while position > 0:
            edges = arriving[position]
            weights = [math.exp(forward[edge.start] + alpha * edge.score - forward[position]) for edge in edges]
            edge = rng.choices(edges, weights)[0]
            tokens.append(edge.token)
            position = edge.start
        return tokens
