"""Of equal scores the shorter piece is more useful.

Mistake: of equal scores the shortest pair is taken
Why: Compare the scores alone: the pair seen first wins.
Pitfall: ties
Caught by: TestLearnPiece
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def learn_piece(self, words):
        scores = self.pair_scores(words)
        if not scores:
            return None
        pair = min(scores, key=lambda pair: (-scores[pair], len(pair[0]) + len(pair[1])))
        self._add_token(self.join_symbols(pair, pair)[0])
        return {self.join_symbols(symbols, pair): count for symbols, count in words.items()}, pair, scores[pair]
