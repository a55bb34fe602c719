"""A good pair has good symbols: I multiply the counts.

Mistake: the score is multiplied by the counts of the symbols
Why: The score divides by the product: frequent symbols need many common places.
Pitfall: score
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
            (left, right): count * symbol_counts[left] * symbol_counts[right]
            for (left, right), count in pair_counts.items()
        }
