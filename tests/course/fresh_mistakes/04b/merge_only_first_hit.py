"""I look for the first place where the pair stands, cut there and glue.

Mistake: the function returns after the first replacement; further occurrences of the pair in the word stay.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        for i in range(len(symbols) - 1):
            if symbols[i] == pair[0] and symbols[i + 1] == pair[1]:
                return symbols[:i] + (pair[0] + pair[1],) + symbols[i + 2:]
        return symbols
