"""At a match, append the pair as one symbol.

Mistake: the pair is a tuple; its two texts were to be joined.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        out, i = [], 0
        while i < len(symbols):
            if i < len(symbols) - 1 and (symbols[i], symbols[i + 1]) == pair:
                out.append(pair)
                i += 2
            else:
                out.append(symbols[i])
                i += 1
        return tuple(out)
