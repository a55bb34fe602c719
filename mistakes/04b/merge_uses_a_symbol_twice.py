"""For each two neighbors I append the joined symbol or the left one.

Mistake: a symbol is used in two pairs
Why: A symbol that went into one pair is used up.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        hits = [left_right == pair for left_right in zip(symbols, symbols[1:])] + [False]
        return tuple(
            pair[0] + pair[1] if hits[i] else symbol
            for i, symbol in enumerate(symbols)
            if hits[i] or i == 0 or not hits[i - 1]
        )
