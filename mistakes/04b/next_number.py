"""The place in merges says which pair it is.

Mistake: something other than a pair is returned
Why: Return the pair itself or None, neither an index nor False.
Pitfall: no-merge
Caught by: TestNextMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        pair = AnswerKey._next_merge(self, symbols)
        return None if pair is None else self.merges.index(pair)
