"""Learning takes the pair that occurs most.

Mistake: the count decides, not the score.
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def learn_piece(self, words):
        scores = {}
        for symbols, n in words.items():
            for p in zip(symbols, symbols[1:]):
                scores[p] = scores.get(p, 0) + n
        if not scores:
            return None
        # max returns the first of several maxima, and the scores are in order of first appearance.
        pair = max(scores, key=scores.get)
        self._add_token(self.join_symbols(pair, pair)[0])
        return {self.join_symbols(symbols, pair): count for symbols, count in words.items()}, pair, scores[pair]
