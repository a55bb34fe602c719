"""How likely is the left symbol before the right one?

Mistake: the score is divided by only one of the two counts
Why: Divide by the product of both counts: the left and the right symbol are treated alike.
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
        return {(left, right): count / symbol_counts[right] for (left, right), count in pair_counts.items()}
