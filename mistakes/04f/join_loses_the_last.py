"""The last symbol has no right neighbor, so the loop ends before it.

Mistake: the last symbol is lost
Why: It belongs to the word: copy it.
Pitfall: overlap
Caught by: TestJoinSymbols
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def join_symbols(self, symbols, pair):
        joined = pair[0] + pair[1].removeprefix("##")
        result, position = [], 0
        while position < len(symbols) - 1:
            if tuple(symbols[position : position + 2]) == pair:
                result.append(joined)
                position += 2
            else:
                result.append(symbols[position])
                position += 1
        return tuple(result)
