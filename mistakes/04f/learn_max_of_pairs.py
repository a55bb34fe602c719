"""max of the scores is the best pair.

Mistake: the scores are not looked at
Why: max(scores) compares the keys; give it key=scores.get.
Pitfall: score
Caught by: TestLearnPiece
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def learn_piece(self, words):
        scores = self.pair_scores(words)
        if not scores:
            return None
        pair = max(scores)
        self._add_token(self.join_symbols(pair, pair)[0])
        return {self.join_symbols(symbols, pair): count for symbols, count in words.items()}, pair, scores[pair]
