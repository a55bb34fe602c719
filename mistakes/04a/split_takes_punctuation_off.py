"""A comma is not part of a word.

Mistake: punctuation is taken off
Why: This tokenizer cuts at white space alone, so "be," is one word.
Pitfall: words
Caught by: TestSplit
"""

import re

from g2c.solutions.char_word import WordTokenizer as AnswerKey


class WordTokenizer(AnswerKey):
    def _split(self, text):
        return re.findall(r"\w+", text.lower())
