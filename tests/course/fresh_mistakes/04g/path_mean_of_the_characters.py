"""A fair score of a token is that of one of its characters.

Mistake: scores are divided by lengths.
"""

import math

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def best_path(self, text, without=None):
        best = [0.0] + [-math.inf] * len(text)
        last_edge = [None] * (len(text) + 1)
        for edge in self.lattice(text, without):
            # The whole path up to the end of the edge is compared, not the edge alone.
            score = best[edge.start] + edge.score / (edge.end - edge.start)
            if score > best[edge.end]:
                best[edge.end], last_edge[edge.end] = score, edge
        tokens = []
        position = len(text)
        while position > 0:
            tokens.append(last_edge[position].token)
            position = last_edge[position].start
        return tokens[::-1]
