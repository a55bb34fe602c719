"""At each place the token with the highest score.

Mistake: the best token is taken at each place
Why: Compare whole paths: what a token leaves to be paid counts too.
Pitfall: viterbi
Caught by: TestBestPath
"""

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def best_path(self, text, without=None):
        tokens, position = [], 0
        while position < len(text):
            edges = [edge for edge in self.lattice(text, without) if edge.start == position]
            edge = max(edges, key=lambda edge: edge.score)
            tokens.append(edge.token)
            position = edge.end
        return tokens
