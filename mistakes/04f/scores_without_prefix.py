"""##a and a are the same letter.

Mistake: a symbol and its continuation are counted together
Why: a begins a word and ##a continues one: they are different symbols, with different counts.
Pitfall: symbol-count
Caught by: TestPairScores
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def pair_scores(self, words):
        symbol_counts, pair_counts = {}, {}
        for symbols, frequency in words.items():
            for symbol in (symbol.removeprefix("##") for symbol in symbols):
                symbol_counts[symbol] = symbol_counts.get(symbol, 0) + frequency
            for pair in zip(symbols, symbols[1:]):
                pair_counts[pair] = pair_counts.get(pair, 0) + frequency
        return {
            (left, right): count / (symbol_counts[left.removeprefix("##")] * symbol_counts[right.removeprefix("##")])
            for (left, right), count in pair_counts.items()
        }
