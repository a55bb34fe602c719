"""A dictionary in the parameter list saves me a line.

Mistake: something from an earlier call is still there
Why: Start empty inside the function, in every call: a default such as counts={} is made only once.
Pitfall: frequency
Caught by: TestPairCounts
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words, counts={}):
        for symbols, frequency in words.items():
            for pair in zip(symbols, symbols[1:]):
                counts[pair] = counts.get(pair, 0) + frequency
        return counts
