"""token_to_id is the vocabulary, so I enter the token there.

Mistake: id_to_token does not get the new token
Why: Both tables belong together: self._add_token enters the token in both.
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
        self.token_to_id.setdefault(self.join_symbols(pair, pair)[0], len(self.token_to_id))
        return {self.join_symbols(symbols, pair): count for symbols, count in words.items()}, pair, scores[pair]
