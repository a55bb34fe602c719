"""The last symbol is followed by the first one again.

Mistake: the last symbol is paired with the first
Why: The last symbol of a word has no neighbor after it.
Pitfall: across-words
Caught by: TestPairCounts
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words):
        counts = {}
        for symbols, frequency in words.items():
            for position in range(len(symbols)):
                pair = symbols[position], symbols[(position + 1) % len(symbols)]
                counts[pair] = counts.get(pair, 0) + frequency
        return counts
