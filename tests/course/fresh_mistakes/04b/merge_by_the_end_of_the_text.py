"""The left half is the end of what I have so far.

Mistake: the end of another symbol counts as the left half.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        out = []
        for symbol in symbols:
            if out and out[-1].endswith(pair[0]) and symbol == pair[1]:
                out[-1] += symbol
            else:
                out.append(symbol)
        return tuple(out)
