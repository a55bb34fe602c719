"""Sort by count and take the first.

Mistake: the least frequent pair is taken
Why: Take the highest count: max, not min.
Pitfall: ties
Caught by: TestLearnMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        counts = self._get_pair_counts(words)
        if not counts:
            return None
        pair = sorted(counts, key=counts.get)[0]
        self.merges.append(pair)
        return {self._merge(symbols, pair): frequency for symbols, frequency in words.items()}, pair, counts[pair]
