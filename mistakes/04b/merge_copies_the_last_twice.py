"""The loop stops before the last symbol, so I append it after the loop.

Mistake: the last symbol is copied although it is used up
Why: After a pair at the end nothing is left to copy.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        merged, position = [], 0
        while position < len(symbols) - 1:
            hit = (symbols[position], symbols[position + 1]) == pair
            merged.append(pair[0] + pair[1] if hit else symbols[position])
            position += 2 if hit else 1
        return (*merged, *symbols[-1:])
