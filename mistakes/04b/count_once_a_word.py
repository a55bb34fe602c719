"""A word either has a pair or has it not.

Mistake: a pair counts once for each word
Why: A pair that occurs twice in a word counts twice, each time with the frequency of the word.
Pitfall: frequency
Caught by: TestPairCounts
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words):
        counts = {}
        for symbols, frequency in words.items():
            for pair in dict.fromkeys(zip(symbols, symbols[1:])):
                counts[pair] = counts.get(pair, 0) + frequency
        return counts
