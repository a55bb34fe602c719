"""A word ends where the letters end, and the punctuation is a token of its own.

Mistake: punctuation is a word of its own
Why: This tokenizer cuts at white space alone, so "be," is one word.
Pitfall: words
Caught by: TestSplit
"""

import re

from g2c.solutions.char_word import WordTokenizer as AnswerKey


class WordTokenizer(AnswerKey):
    def _split(self, text):
        return re.findall(r"\w+|[^\w\s]", text.lower())
