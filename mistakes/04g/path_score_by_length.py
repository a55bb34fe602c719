"""Long tokens have low scores, so I divide a score by the length of its token.

Mistake: the scores are divided by the lengths of the tokens
Why: The loss is the sum of the scores as they are: add the score of the edge.
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
            score = best[edge.start] + edge.score / (edge.end - edge.start)
            if score > best[edge.end]:
                best[edge.end], last_edge[edge.end] = score, edge
        tokens = []
        position = len(text)
        while position > 0:
            tokens.append(last_edge[position].token)
            position = last_edge[position].start
        return tokens[::-1]
