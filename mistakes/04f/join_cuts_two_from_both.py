"""The prefix has two characters, so I cut two from each symbol.

Mistake: the left symbol loses characters as well
Why: The left symbol stays as it is, with its prefix if it has one.
Pitfall: prefix
Caught by: TestJoinSymbols
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def join_symbols(self, symbols, pair):
        joined = pair[0][2:] + pair[1][2:]
        result, position = [], 0
        while position < len(symbols):
            if tuple(symbols[position : position + 2]) == pair:
                result.append(joined)
                position += 2
            else:
                result.append(symbols[position])
                position += 1
        return tuple(result)
