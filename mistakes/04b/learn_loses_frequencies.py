"""The new words are a dictionary again.

Mistake: the frequencies are lost
Why: A word keeps its frequency, whatever is joined in it.
Pitfall: words-back
Caught by: TestLearnMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        counts = self._get_pair_counts(words)
        if not counts:
            return None
        pair = max(counts, key=counts.get)
        self.merges.append(pair)
        return {self._merge(symbols, pair): 1 for symbols in words}, pair, counts[pair]
