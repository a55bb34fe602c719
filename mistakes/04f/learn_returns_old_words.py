"""The pair is learned; joining comes later.

Mistake: the words come back unmerged
Why: Join the pair in every word, and return those.
Pitfall: words-back
Caught by: TestLearnPiece
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def learn_piece(self, words):
        scores = self.pair_scores(words)
        if not scores:
            return None
        pair = max(scores, key=scores.get)
        self._add_token(self.join_symbols(pair, pair)[0])
        return dict(words), pair, scores[pair]
