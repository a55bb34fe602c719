"""A pair is a tuple; no pair is an empty one.

Mistake: () comes back in place of None.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        for a, b in self.merges:
            if (
                a in symbols
                and b in symbols
                and symbols.index(a) < len(symbols) - 1
                and (a, b) in zip(symbols, symbols[1:])
            ):
                return (a, b)
        return ()
