"""The new token is left + right.

Mistake: the token that is added has a "##" inside
Why: Add what join_symbols makes of the pair.
Pitfall: prefix
Caught by: TestLearnPiece
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def learn_piece(self, words):
        scores = self.pair_scores(words)
        if not scores:
            return None
        pair = max(scores, key=scores.get)
        self._add_token(pair[0] + pair[1])
        return {self.join_symbols(symbols, pair): count for symbols, count in words.items()}, pair, scores[pair]
