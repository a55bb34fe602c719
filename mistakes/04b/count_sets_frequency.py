"""The count of a pair is the frequency of its word.

Mistake: the frequency is set and not added
Why: The same pair comes again, in this word or another: add to the count it has.
Pitfall: frequency
Caught by: TestPairCounts
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words):
        counts = {}
        for symbols, frequency in words.items():
            for pair in zip(symbols, symbols[1:]):
                counts[pair] = frequency
        return counts
