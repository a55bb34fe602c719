"""In a tie the newest pair wins.

Mistake: of equal scores the last one is taken
Why: The pair seen first wins.
Pitfall: ties
Caught by: TestLearnPiece
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def learn_piece(self, words):
        scores = self.pair_scores(words)
        if not scores:
            return None
        pair = max(reversed(scores), key=scores.get)
        self._add_token(self.join_symbols(pair, pair)[0])
        return {self.join_symbols(symbols, pair): count for symbols, count in words.items()}, pair, scores[pair]
