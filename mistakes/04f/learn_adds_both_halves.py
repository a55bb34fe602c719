"""The token is the two symbols of the pair.

Mistake: the halves are added and not the joined symbol
Why: The halves are in the vocabulary already: add what they make together.
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
        for half in pair:
            self._add_token(half)
        return {self.join_symbols(symbols, pair): count for symbols, count in words.items()}, pair, scores[pair]
