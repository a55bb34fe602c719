"""replace("##", "") takes the prefix away.

Mistake: "##" is removed wherever it occurs
Why: Only the beginning of the right symbol is the prefix; the left one keeps its own.
Pitfall: prefix
Caught by: TestJoinSymbols
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def join_symbols(self, symbols, pair):
        joined = (pair[0] + pair[1]).replace("##", "")
        result, position = [], 0
        while position < len(symbols):
            if tuple(symbols[position : position + 2]) == pair:
                result.append(joined)
                position += 2
            else:
                result.append(symbols[position])
                position += 1
        return tuple(result)
