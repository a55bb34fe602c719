"""a is a, with or without the prefix.

Mistake: the beginning of a word is taken for a continuation
Why: Compare whole symbols, with their prefix.
Pitfall: symbols
Caught by: TestJoinSymbols
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def join_symbols(self, symbols, pair):
        joined = pair[0] + pair[1].removeprefix("##")
        result, position = [], 0
        while position < len(symbols):
            if [symbol.removeprefix("##") for symbol in symbols[position : position + 2]] == [
                half.removeprefix("##") for half in pair
            ]:
                result.append(joined)
                position += 2
            else:
                result.append(symbols[position])
                position += 1
        return tuple(result)
