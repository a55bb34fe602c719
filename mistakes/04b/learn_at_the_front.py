"""The newest merge first.

Mistake: the pair is entered at the front
Why: merges is in the order learned: append at the end.
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
        self.merges.insert(0, pair)
        return {self._merge(symbols, pair): frequency for symbols, frequency in words.items()}, pair, counts[pair]
