"""I put all words in one row first, each as often as it occurs, and count as in module 04.

Mistake: pairs reach from one word into the next
Why: Each word is counted by itself: its last symbol has no neighbor.
Pitfall: across-words
Caught by: TestPairCounts
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words):
        row = [symbol for symbols, frequency in words.items() for _ in range(frequency) for symbol in symbols]
        counts = {}
        for pair in zip(row, row[1:]):
            counts[pair] = counts.get(pair, 0) + 1
        return counts
