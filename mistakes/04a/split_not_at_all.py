"""list makes a list of the text.

Mistake: the text is not cut into words
Why: str.split cuts it, and returns a list.
Pitfall: words
Caught by: TestSplit
"""

from g2c.solutions.char_word import WordTokenizer as AnswerKey


class WordTokenizer(AnswerKey):
    def _split(self, text):
        return list(text.lower())
