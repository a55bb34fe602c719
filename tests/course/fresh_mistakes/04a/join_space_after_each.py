"""For each word: append the word and a space.

Mistake: a space is left at the end, it stands after every word and not only between two.
"""

from g2c.solutions.char_word import WordTokenizer as AnswerKey


class WordTokenizer(AnswerKey):
    def _join(self, symbols):
        text = ""
        for word in symbols:
            text += word + " "
        return text
