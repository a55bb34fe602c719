"""Look one further at each position.

Mistake: at the last symbol the neighbor does not exist.
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def join_symbols(self, symbols, pair):
        out, i = [], 0
        while i < len(symbols):
            if symbols[i] == pair[0] and symbols[i + 1] == pair[1]:
                out.append(pair[0] + pair[1][2:])
                i += 2
            else:
                out.append(symbols[i])
                i += 1
        return tuple(out)
