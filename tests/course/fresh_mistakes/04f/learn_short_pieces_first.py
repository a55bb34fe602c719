"""In a tie a short piece is worth more.

Mistake: ties are decided by length.
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def learn_piece(self, words):
        scores = self.pair_scores(words)
        if not scores:
            return None
        # max returns the first of several maxima, and the scores are in order of first appearance.
        pair = max(scores, key=lambda p: (scores[p], -len(p[0]) - len(p[1])))
        self._add_token(self.join_symbols(pair, pair)[0])
        return {self.join_symbols(symbols, pair): count for symbols, count in words.items()}, pair, scores[pair]
