"""The best edge that ends at each position.

Mistake: the score of the edge alone is compared
Why: Compare the score of the whole path: the best at the start plus the edge.
Pitfall: viterbi
Caught by: TestBestPath
"""

import math

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def best_path(self, text, without=None):
        best = [0.0] + [-math.inf] * len(text)
        last_edge = [None] * (len(text) + 1)
        for edge in self.lattice(text, without):
            score = edge.score
            if score > best[edge.end]:
                best[edge.end], last_edge[edge.end] = score, edge
        tokens = []
        position = len(text)
        while position > 0:
            tokens.append(last_edge[position].token)
            position = last_edge[position].start
        return tokens[::-1]
