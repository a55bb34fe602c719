"""The count of a token is the probability of its edge.

Mistake: a token at several places keeps only its last probability
Why: Add up the probabilities of all its edges.
Pitfall: expected
Caught by: TestExpectedCounts
"""

import math

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey
from g2c.tokenizer.unigram import log_sum_exp


class UnigramTokenizer(AnswerKey):
    def expected_counts(self, text):
        edges = self.lattice(text)
        arriving, leaving = [[] for _ in range(len(text) + 1)], [[] for _ in range(len(text) + 1)]
        for edge in edges:
            arriving[edge.end].append(edge)
            leaving[edge.start].append(edge)
        forward, backward = [0.0] * (len(text) + 1), [0.0] * (len(text) + 1)
        for p in range(1, len(text) + 1):
            forward[p] = log_sum_exp(forward[edge.start] + edge.score for edge in arriving[p])
        for p in reversed(range(len(text))):
            backward[p] = log_sum_exp(edge.score + backward[edge.end] for edge in leaving[p])
        counts = {}
        for edge in edges:
            used = math.exp(forward[edge.start] + edge.score + backward[edge.end] - forward[-1])
            counts[edge.token] = used
        return counts
