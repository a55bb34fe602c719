"""casefold is the thorough lower.

Mistake: casefold in place of lower
Pitfall: words
Caught by: TestSplit
"""

from g2c.solutions.char_word import WordTokenizer as AnswerKey


class WordTokenizer(AnswerKey):
    def _split(self, text):
        return text.casefold().split()
