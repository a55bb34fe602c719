"""A sentence begins with a capital.

Mistake: the words are changed
Why: Put them together as they are.
Pitfall: join
Caught by: TestJoin
"""

from g2c.solutions.char_word import WordTokenizer as AnswerKey


class WordTokenizer(AnswerKey):
    def _join(self, symbols):
        return " ".join(symbols).capitalize()
