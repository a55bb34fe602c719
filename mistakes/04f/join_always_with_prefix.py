"""A joined symbol is a piece, and pieces have the prefix.

Mistake: the joined symbol always begins with "##"
Why: It begins with the prefix only if the left symbol does.
Pitfall: prefix
Caught by: TestJoinSymbols
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def join_symbols(self, symbols, pair):
        joined = "##" + pair[0].removeprefix("##") + pair[1].removeprefix("##")
        result, position = [], 0
        while position < len(symbols):
            if tuple(symbols[position : position + 2]) == pair:
                result.append(joined)
                position += 2
            else:
                result.append(symbols[position])
                position += 1
        return tuple(result)
