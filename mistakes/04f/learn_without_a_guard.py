"""There is always a best pair.

Mistake: words without a pair are not handled
Why: max of nothing is an error: ask first whether there is a pair, and return None.
Pitfall: nothing-left
Caught by: TestLearnPiece
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def learn_piece(self, words):
        scores = self.pair_scores(words)
        pair = max(scores, key=scores.get)
        self._add_token(self.join_symbols(pair, pair)[0])
        return {self.join_symbols(symbols, pair): count for symbols, count in words.items()}, pair, scores[pair]
