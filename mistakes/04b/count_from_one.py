"""A pair that I have not met yet was seen once.

Mistake: every count is one too high
Why: A new pair has the count 0 before the frequency is added.
Pitfall: frequency
Caught by: TestPairCounts
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words):
        counts = {}
        for symbols, frequency in words.items():
            for pair in zip(symbols, symbols[1:]):
                counts[pair] = counts.get(pair, 1) + frequency
        return counts
