"""The pair is in what I return.

Mistake: the pair is not added to merges
Why: Append the pair to merges: encoding applies only what is listed there.
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
        # nothing to enter
        return {self._merge(symbols, pair): frequency for symbols, frequency in words.items()}, pair, counts[pair]
