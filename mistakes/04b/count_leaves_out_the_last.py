"""The end marker is no letter, so I stop before it.

Mistake: the last pair of each word is left out
Why: The marker is a symbol like any other, and the last pair ends with it.
Pitfall: across-words
Caught by: TestPairCounts
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words):
        counts = {}
        for symbols, frequency in words.items():
            for pair in list(zip(symbols, symbols[1:]))[:-1]:
                counts[pair] = counts.get(pair, 0) + frequency
        return counts
