"""A list of symbols is a word.

Mistake: a list comes back and not a tuple
Why: A word is a key of a dictionary: return a tuple.
Pitfall: words-back
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
                position += 2
            else:
                result.append(symbols[position])
                position += 1
        return result
