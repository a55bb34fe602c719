"""A symbol occurs as often as the pairs that it begins or ends.

Mistake: a symbol is counted once for each pair that it is in
Why: A symbol inside a word is in two pairs and occurs once: count the symbols themselves.
Pitfall: symbol-count
Caught by: TestPairScores
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def pair_scores(self, words):
        symbol_counts, pair_counts = {}, {}
        for symbols, frequency in words.items():
            for pair in zip(symbols, symbols[1:]):
                pair_counts[pair] = pair_counts.get(pair, 0) + frequency
                for symbol in pair:
                    symbol_counts[symbol] = symbol_counts.get(symbol, 0) + frequency
        return {
            (left, right): count / (symbol_counts[left] * symbol_counts[right])
            for (left, right), count in pair_counts.items()
        }
