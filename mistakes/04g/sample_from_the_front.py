"""From the left, each edge with its probability.

Mistake: tokens are drawn from the front by their score
Why: Begin at the end: there forward knows how much probability comes over each edge.
Pitfall: sampling
Caught by: TestSamplePath
"""

import math
from random import Random

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def sample_path(self, text, seed, alpha=1.0):
        rng = Random(seed)
        tokens, position = [], 0
        while position < len(text):
            edges = [edge for edge in self.lattice(text) if edge.start == position]
            edge = rng.choices(edges, [math.exp(alpha * edge.score) for edge in edges])[0]
            tokens.append(edge.token)
            position = edge.end
        return tokens
