""""At every run of white space" is a regex split.

Mistake: re.split gives empty words when the text begins or ends with white space (and one for the empty text).
"""

import re

from g2c.solutions.char_word import WordTokenizer as AnswerKey


class WordTokenizer(AnswerKey):
    def _split(self, text):
        return re.split(r"\s+", text.lower())
