"""merges is the list of the merge.

Mistake: merges is replaced instead of extended
Why: What was learned before must stay: append the pair.
Pitfall: append
Caught by: TestLearnMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        counts = self._get_pair_counts(words)
        if not counts:
            return None
        pair = max(counts, key=counts.get)
        self.merges = [pair]
        return {self._merge(symbols, pair): frequency for symbols, frequency in words.items()}, pair, counts[pair]
