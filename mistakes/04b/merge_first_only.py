"""Find the pair and join it.

Mistake: only the first occurrence is joined
Why: Continue to the end of the word after a match.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        for position in range(len(symbols) - 1):
            if symbols[position : position + 2] == pair:
                return (*symbols[:position], pair[0] + pair[1], *symbols[position + 2 :])
        return symbols
