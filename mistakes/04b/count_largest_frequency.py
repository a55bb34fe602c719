"""The pair is as frequent as the word it stands in.

Mistake: only the most frequent of the words counts
Why: Add up the frequencies of all words with the pair.
Pitfall: frequency
Caught by: TestPairCounts
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words):
        counts = {}
        for symbols, frequency in words.items():
            for pair in zip(symbols, symbols[1:]):
                counts[pair] = max(counts.get(pair, 0), frequency)
        return counts
