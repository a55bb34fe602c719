"""Each time that I meet a symbol or a pair I add 1.

Mistake: the frequency of the words is ignored
Why: A word that occurs 5 times has each of its symbols and pairs 5 times: add its frequency.
Pitfall: score
Caught by: TestPairScores
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def pair_scores(self, words):
        symbol_counts, pair_counts = {}, {}
        for symbols in words:
            for symbol in symbols:
                symbol_counts[symbol] = symbol_counts.get(symbol, 0) + 1
            for pair in zip(symbols, symbols[1:]):
                pair_counts[pair] = pair_counts.get(pair, 0) + 1
        return {
            (left, right): count / (symbol_counts[left] * symbol_counts[right])
            for (left, right), count in pair_counts.items()
        }
