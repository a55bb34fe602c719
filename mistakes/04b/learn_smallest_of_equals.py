"""Sorted by count and then by alphabet, to make it unique.

Mistake: the first of equal pairs in the alphabet is taken
Why: The pair seen first wins.
Pitfall: ties
Caught by: TestLearnMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        counts = self._get_pair_counts(words)
        if not counts:
            return None
        pair = min(counts, key=lambda pair: (-counts[pair], pair))
        self.merges.append(pair)
        return {self._merge(symbols, pair): frequency for symbols, frequency in words.items()}, pair, counts[pair]
