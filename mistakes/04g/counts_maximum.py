"""Of several ways to a position the best one counts.

Mistake: the best way is taken instead of the sum of all
Why: Add the probabilities of all ways: log_sum_exp, not max.
Pitfall: expected
Caught by: TestExpectedCounts
"""

import math

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def expected_counts(self, text):
        edges = self.lattice(text)
        arriving, leaving = [[] for _ in range(len(text) + 1)], [[] for _ in range(len(text) + 1)]
        for edge in edges:
            arriving[edge.end].append(edge)
            leaving[edge.start].append(edge)
        forward, backward = [0.0] * (len(text) + 1), [0.0] * (len(text) + 1)
        for p in range(1, len(text) + 1):
            forward[p] = max(forward[edge.start] + edge.score for edge in arriving[p])
        for p in reversed(range(len(text))):
            backward[p] = max(edge.score + backward[edge.end] for edge in leaving[p])
        counts = {}
        for edge in edges:
            used = math.exp(forward[edge.start] + edge.score + backward[edge.end] - forward[-1])
            counts[edge.token] = counts.get(edge.token, 0.0) + used
        return counts
