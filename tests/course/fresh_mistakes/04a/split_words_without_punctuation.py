"""Words are letters, so I look for runs of word characters with findall.

Mistake: punctuation is thrown away or cuts the words ("be," gives "be"), although only white space may cut.
"""

import re

from g2c.solutions.char_word import WordTokenizer as AnswerKey


class WordTokenizer(AnswerKey):
    def _split(self, text):
        return re.findall(r"\w+", text.lower())
