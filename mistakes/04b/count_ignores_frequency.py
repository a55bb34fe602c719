"""Each time that I meet a pair I add 1.

Mistake: the frequency of the words is ignored
Why: A word that occurs 5 times has each of its pairs 5 times: add its frequency.
Pitfall: frequency
Caught by: TestPairCounts
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words):
        counts = {}
        for symbols in words:
            for pair in zip(symbols, symbols[1:]):
                counts[pair] = counts.get(pair, 0) + 1
        return counts
