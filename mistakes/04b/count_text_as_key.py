"""A pair is the two texts put together.

Mistake: text where a pair belongs
Why: The key is the tuple (left, right); "ab" + "c" and "a" + "bc" differ.
Pitfall: symbols
Caught by: TestPairCounts
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words):
        counts = {}
        for symbols, frequency in words.items():
            for left, right in zip(symbols, symbols[1:]):
                counts[left + right] = counts.get(left + right, 0) + frequency
        return counts
