"""I turn the scores into probabilities at once.

Mistake: the probability of a long text becomes 0
Why: Stay in logarithms until the end.
Pitfall: logarithms
Caught by: TestExpectedCounts
"""

import math

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def expected_counts(self, text):
        edges = self.lattice(text)
        forward, backward = [1.0] + [0.0] * len(text), [0.0] * len(text) + [1.0]
        for edge in edges:
            forward[edge.end] += forward[edge.start] * math.exp(edge.score)
        for edge in reversed(edges):
            backward[edge.start] += math.exp(edge.score) * backward[edge.end]
        counts = {}
        for edge in edges:
            used = forward[edge.start] * math.exp(edge.score) * backward[edge.end] / forward[-1]
            counts[edge.token] = counts.get(edge.token, 0.0) + used
        return counts
