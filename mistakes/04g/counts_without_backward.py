"""What comes before an edge decides how probable it is.

Mistake: what comes after an edge is left out
Why: Add backward[end]: all ways to go on from the edge.
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
            backward[p] = log_sum_exp(edge.score for edge in leaving[p])
        counts = {}
        for edge in edges:
            used = math.exp(forward[edge.start] + edge.score - forward[-1])
            counts[edge.token] = counts.get(edge.token, 0.0) + used
        return counts
