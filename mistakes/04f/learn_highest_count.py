"""As in BPE, the most frequent pair is joined.

Mistake: the most frequent pair is taken
Why: WordPiece joins the pair with the highest score: take the maximum of pair_scores.
Pitfall: score
Caught by: TestLearnPiece
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def learn_piece(self, words):
        counts = {}
        for symbols, frequency in words.items():
            for pair in zip(symbols, symbols[1:]):
                counts[pair] = counts.get(pair, 0) + frequency
        if not counts:
            return None
        pair = max(counts, key=counts.get)
        self._add_token(self.join_symbols(pair, pair)[0])
        return {self.join_symbols(symbols, pair): count for symbols, count in words.items()}, pair, counts[pair]
