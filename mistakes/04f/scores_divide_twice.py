"""Dividing by one count and then by the other is dividing by the product.

Mistake: the score is divided twice
Why: Each division rounds. Multiply the counts first, which is exact, and divide once: then ties are real ties.
Pitfall: ties
Caught by: TestPairScores
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def pair_scores(self, words):
        symbol_counts, pair_counts = {}, {}
        for symbols, frequency in words.items():
            for symbol in symbols:
                symbol_counts[symbol] = symbol_counts.get(symbol, 0) + frequency
            for pair in zip(symbols, symbols[1:]):
                pair_counts[pair] = pair_counts.get(pair, 0) + frequency
        return {
            (left, right): count / symbol_counts[left] / symbol_counts[right]
            for (left, right), count in pair_counts.items()
        }
