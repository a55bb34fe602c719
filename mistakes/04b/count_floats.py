"""Counts may become frequencies later, so I begin at 0.0.

Mistake: the counts are floats
Why: A count is a whole number: begin at 0.
Pitfall: frequency
Caught by: TestPairCounts
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words):
        counts = {}
        for symbols, frequency in words.items():
            for pair in zip(symbols, symbols[1:]):
                counts[pair] = counts.get(pair, 0.0) + frequency
        return counts
