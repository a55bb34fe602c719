"""lstrip takes the ## at the beginning away.

Mistake: every # at the beginning is removed
Why: lstrip removes any number of these characters: use removeprefix, which removes the text once.
Pitfall: prefix
Caught by: TestJoinSymbols
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def join_symbols(self, symbols, pair):
        joined = pair[0] + pair[1].lstrip("#")
        result, position = [], 0
        while position < len(symbols):
            if tuple(symbols[position : position + 2]) == pair:
                result.append(joined)
                position += 2
            else:
                result.append(symbols[position])
                position += 1
        return tuple(result)
