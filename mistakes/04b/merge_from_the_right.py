"""From the end, so that the positions before it stay valid.

Mistake: pairs are joined from right to left
Why: In a a a the left two become one.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        symbols = list(symbols)
        position = len(symbols) - 2
        while position >= 0:
            if tuple(symbols[position : position + 2]) == pair:
                symbols[position : position + 2] = [pair[0] + pair[1]]
            position -= 1
        return tuple(symbols)
