"""Find the pair and join it.

Mistake: only the first occurrence is joined
Why: Continue to the end of the word after a match.
Pitfall: overlap
Caught by: TestJoinSymbols
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def join_symbols(self, symbols, pair):
        for position in range(len(symbols) - 1):
            if symbols[position : position + 2] == pair:
                return (*symbols[:position], pair[0] + pair[1].removeprefix("##"), *symbols[position + 2 :])
        return symbols
