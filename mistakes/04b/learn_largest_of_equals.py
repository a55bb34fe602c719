"""max over (count, pair) gives the highest count.

Mistake: the largest of equal pairs is taken
Why: max of (count, pair) compares the pairs as well; compare the counts alone.
Pitfall: ties
Caught by: TestLearnMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        counts = self._get_pair_counts(words)
        if not counts:
            return None
        pair = max((count, pair) for pair, count in counts.items())[1]
        self.merges.append(pair)
        return {self._merge(symbols, pair): frequency for symbols, frequency in words.items()}, pair, counts[pair]
