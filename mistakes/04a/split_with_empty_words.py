"""A regular expression cuts at white space.

Mistake: there are empty words
Why: White space at the ends leaves empty words with re.split: call split without an argument.
Pitfall: empty-words
Caught by: TestSplit
"""

import re

from g2c.solutions.char_word import WordTokenizer as AnswerKey


class WordTokenizer(AnswerKey):
    def _split(self, text):
        return re.split(r"\s+", text.lower())
