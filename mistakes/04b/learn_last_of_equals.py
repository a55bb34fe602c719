"""With >= I keep the best pair so far.

Mistake: the last of equal pairs is taken
Why: The pair seen first wins: compare with > and not with >=.
Pitfall: ties
Caught by: TestLearnMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        counts = self._get_pair_counts(words)
        if not counts:
            return None
        pair = None
        for candidate in counts:
            if pair is None or counts[candidate] >= counts[pair]:
                pair = candidate
        self.merges.append(pair)
        return {self._merge(symbols, pair): frequency for symbols, frequency in words.items()}, pair, counts[pair]
