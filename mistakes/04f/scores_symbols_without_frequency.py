"""The frequency belongs to the pairs; for a symbol I add 1.

Mistake: symbols are counted without the frequency of their word
Why: A symbol occurs as often as its word: add the frequency for symbols too.
Pitfall: score
Caught by: TestPairScores
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def pair_scores(self, words):
        symbol_counts, pair_counts = {}, {}
        for symbols, frequency in words.items():
            for symbol in symbols:
                symbol_counts[symbol] = symbol_counts.get(symbol, 0) + 1
            for pair in zip(symbols, symbols[1:]):
                pair_counts[pair] = pair_counts.get(pair, 0) + frequency
        return {
            (left, right): count / (symbol_counts[left] * symbol_counts[right])
            for (left, right), count in pair_counts.items()
        }
