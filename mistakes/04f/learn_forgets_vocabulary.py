"""The words change, that is all.

Mistake: the joined symbol is not added to the vocabulary
Why: Call self._add_token with the joined symbol: encoding knows only the vocabulary.
Pitfall: vocabulary
Caught by: TestLearnPiece
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def learn_piece(self, words):
        scores = self.pair_scores(words)
        if not scores:
            return None
        pair = max(scores, key=scores.get)
        return {self.join_symbols(symbols, pair): count for symbols, count in words.items()}, pair, scores[pair]
