"""Each word goes on a line.

Mistake: something other than one space is between words
Why: Join them with " ".
Pitfall: join
Caught by: TestJoin
"""

from g2c.solutions.char_word import WordTokenizer as AnswerKey


class WordTokenizer(AnswerKey):
    def _join(self, symbols):
        return "\n".join(symbols)
