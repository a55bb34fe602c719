"""In each round the position goes on by one.

Mistake: a symbol that was joined is used again
Why: After a match go on by two.
Pitfall: overlap
Caught by: TestJoinSymbols
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def join_symbols(self, symbols, pair):
        joined = pair[0] + pair[1].removeprefix("##")
        result, position = [], 0
        while position < len(symbols):
            if tuple(symbols[position : position + 2]) == pair:
                result.append(joined)
                position += 1
            else:
                result.append(symbols[position])
                position += 1
        return tuple(result)
