"""At every position I look whether the pair begins there.

Mistake: after a match the position moves on by one
Why: A match uses up two symbols.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        merged = [pair[0] + pair[1] if (left, right) == pair else left for left, right in zip(symbols, symbols[1:])]
        return (*merged, *symbols[-1:])
