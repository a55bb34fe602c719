"""After a match I look whether it goes on.

Mistake: joined symbols are joined again
Why: One call joins one pair, and what it makes stays.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        joined = pair[0] + pair[1]
        return AnswerKey._merge(self, AnswerKey._merge(self, symbols, pair), (joined, joined))
