"""casefold is the better lower.

Mistake: casefold changes more than case: "ß" becomes "ss".
"""

from g2c.solutions.char_word import WordTokenizer as AnswerKey


class WordTokenizer(AnswerKey):
    def _split(self, text):
        return text.casefold().split()
