"""There is always a best pair.

Mistake: words without a pair are not handled
Why: max of nothing is an error: ask first whether there is a pair, and return None.
Pitfall: nothing-left
Caught by: TestLearnMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        counts = self._get_pair_counts(words)
        pair = max(counts, key=counts.get)
        self.merges.append(pair)
        return {self._merge(symbols, pair): frequency for symbols, frequency in words.items()}, pair, counts[pair]
