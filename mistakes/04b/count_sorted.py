"""Sorted output is tidier.

Mistake: the pairs are not in order of first appearance
Why: In a tie the pair seen first wins, and only the order of the dictionary tells which one that is.
Pitfall: ties
Caught by: TestPairCounts
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _get_pair_counts(self, words):
        return dict(sorted(AnswerKey._get_pair_counts(self, words).items()))
