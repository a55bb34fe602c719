"""If the two symbols together give the same text as the pair together, it is the pair.

Mistake: the joined text is compared and not the two symbols: ("a", "bc") is taken for the pair ("ab", "c").
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        target = pair[0] + pair[1]
        out = []
        i = 0
        while i < len(symbols):
            if i + 1 < len(symbols) and symbols[i] + symbols[i + 1] == target:
                out.append(target)
                i += 2
            else:
                out.append(symbols[i])
                i += 1
        return tuple(out)
