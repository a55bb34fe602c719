"""Each draw takes Random(seed).choices(edges, weights).

Mistake: every draw begins with the same random number
Why: A generator with the same seed begins again: make rng once, before the loop.
Pitfall: sampling
Caught by: TestSamplePath
"""

import math
from random import Random

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey
from g2c.tokenizer.unigram import log_sum_exp


class UnigramTokenizer(AnswerKey):
    def sample_path(self, text, seed, alpha=1.0):
        arriving = [[] for _ in range(len(text) + 1)]
        for edge in self.lattice(text):
            arriving[edge.end].append(edge)
        forward = [0.0] * (len(text) + 1)
        for p in range(1, len(text) + 1):
            forward[p] = log_sum_exp(forward[edge.start] + alpha * edge.score for edge in arriving[p])
        tokens, position = [], len(text)
        while position > 0:
            edges = arriving[position]
            weights = [math.exp(forward[edge.start] + alpha * edge.score - forward[position]) for edge in edges]
            edge = Random(seed).choices(edges, weights)[0]
            tokens.append(edge.token)
            position = edge.start
        return tokens[::-1]
