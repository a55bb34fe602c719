"""I look at the symbol and the one before it.

Mistake: left and right are not told apart
Why: ("l", "o") and ("o", "l") are two different pairs: the left symbol comes first.
Pitfall: across-words
Caught by: TestPairCounts
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words):
        counts = {}
        for symbols, frequency in words.items():
            for left, right in zip(symbols, symbols[1:]):
                counts[right, left] = counts.get((right, left), 0) + frequency
        return counts
