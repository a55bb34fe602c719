"""At the beginning all scores are 0.

Mistake: positions begin with the score 0.0
Why: 0.0 is better than any path. What has not been reached has the score -math.inf.
Pitfall: viterbi
Caught by: TestBestPath
"""

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def best_path(self, text, without=None):
        best = [0.0] * (len(text) + 1)
        last_edge = [None] * (len(text) + 1)
        for edge in self.lattice(text, without):
            score = best[edge.start] + edge.score
            if score > best[edge.end]:
                best[edge.end], last_edge[edge.end] = score, edge
        tokens = []
        position = len(text)
        while position > 0:
            tokens.append(last_edge[position].token)
            position = last_edge[position].start
        return tokens[::-1]
