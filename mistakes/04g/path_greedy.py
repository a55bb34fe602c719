"""From the left, the longest token.

Mistake: the longest token is taken at each place
Why: Compare whole paths: a long token may cost more than two short ones.
Pitfall: viterbi
Caught by: TestBestPath
"""

from g2c.solutions.unigram import UnigramTokenizer as AnswerKey


class UnigramTokenizer(AnswerKey):
    def best_path(self, text, without=None):
        tokens, position = [], 0
        while position < len(text):
            edge = max((edge for edge in self.lattice(text, without) if edge.start == position), key=lambda edge: edge.end)
            tokens.append(edge.token)
            position = edge.end
        return tokens
