"""Only words with the pair have to be changed.

Mistake: words without the pair are lost
Why: They stay as they are, and stay in the dictionary.
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
        return (
            {
                self.join_symbols(symbols, pair): count
                for symbols, count in words.items()
                if self.join_symbols(symbols, pair) != symbols
            },
            pair,
            scores[pair],
        )
