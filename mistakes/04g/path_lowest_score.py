"""The loss is to be low, so I take the lowest.

Mistake: the path with the lowest score is taken
Why: A low loss is a high score: look for the highest.
Pitfall: viterbi
Caught by: TestBestPath
"""

import math

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def best_path(self, text, without=None):
        best = [0.0] + [math.inf] * len(text)
        last_edge = [None] * (len(text) + 1)
        for edge in self.lattice(text, without):
            score = best[edge.start] + edge.score
            if score < best[edge.end]:
                best[edge.end], last_edge[edge.end] = score, edge
        tokens = []
        position = len(text)
        while position > 0:
            tokens.append(last_edge[position].token)
            position = last_edge[position].start
        return tokens[::-1]
