"""If this and the next make the pair, append both joined, else append this.

Mistake: after a match, the pair's right symbol is looked at again and stays in the word.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        out = []
        for i, s in enumerate(symbols):
            if symbols[i : i + 2] == pair:
                out.append(s + symbols[i + 1])
            else:
                out.append(s)
        return tuple(out)
