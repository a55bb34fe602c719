"""A pair that was seen once is no pattern.

Mistake: nothing is learned although a pair is left
Why: A pair that was seen once is a pair too.
Pitfall: nothing-left
Caught by: TestLearnMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def learn_merge(self, words):
        counts = self._get_pair_counts(words)
        return super().learn_merge(words) if max(counts.values(), default=0) > 1 else None
