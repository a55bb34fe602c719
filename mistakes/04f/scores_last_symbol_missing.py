"""I count the symbols in the loop over the pairs, each as the left one of its pair.

Mistake: the last symbol of each word is not counted
Why: The last symbol begins no pair and occurs all the same: count all symbols of the word.
Pitfall: symbol-count
Caught by: TestPairScores
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def pair_scores(self, words):
        symbol_counts, pair_counts = {}, {}
        for symbols, frequency in words.items():
            for left, right in zip(symbols, symbols[1:]):
                pair_counts[left, right] = pair_counts.get((left, right), 0) + frequency
                symbol_counts[left] = symbol_counts.get(left, 0) + frequency
        return {
            (left, right): count / (symbol_counts[left] * symbol_counts[right])
            for (left, right), count in pair_counts.items()
        }
