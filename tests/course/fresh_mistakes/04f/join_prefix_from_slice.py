"""The right half without its first character pair: pair[1][2:], and for the left half too if it has the prefix.

Mistake: the joined symbol inside a word loses its prefix.
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def join_symbols(self, symbols, pair):
        a, b = pair
        new = (a[2:] if a.startswith("##") else a) + b[2:]
        out, i = [], 0
        while i < len(symbols):
            if i + 1 < len(symbols) and symbols[i] == a and symbols[i + 1] == b:
                out.append(new)
                i += 2
            else:
                out.append(symbols[i])
                i += 1
        return tuple(out)
