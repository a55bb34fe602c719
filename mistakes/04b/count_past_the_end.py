"""Every symbol has a next one.

Mistake: a neighbor is looked for after the last symbol
Why: n symbols have n - 1 pairs: end the loop one earlier.
Pitfall: across-words
Caught by: TestPairCounts
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words):
        counts = {}
        for symbols, frequency in words.items():
            for position in range(len(symbols)):
                pair = symbols[position], symbols[position + 1]
                counts[pair] = counts.get(pair, 0) + frequency
        return counts
