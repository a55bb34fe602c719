"""replace takes the prefix of the right symbol away.

Mistake: hashes of the text are removed with the prefix
Why: replace removes every ## in the symbol: use removeprefix, or cut off the first two characters.
Pitfall: prefix
Caught by: TestJoinSymbols
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def join_symbols(self, symbols, pair):
        joined, position = [], 0
        while position < len(symbols):
            if tuple(symbols[position : position + 2]) == pair:
                joined.append(pair[0] + pair[1].replace("##", ""))
                position += 2
            else:
                joined.append(symbols[position])
                position += 1
        return tuple(joined)
