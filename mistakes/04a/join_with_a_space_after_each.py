"""After every word comes a space.

Mistake: a space before the first word or after the last
Why: Spaces stand between words only.
Pitfall: join
Caught by: TestJoin
"""

from g2c.solutions.char_word import WordTokenizer as AnswerKey


class WordTokenizer(AnswerKey):
    def _join(self, symbols):
        return "".join(symbol + " " for symbol in symbols)
