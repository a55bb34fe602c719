"""casefold is the thorough lower.

Mistake: casefold in place of lower
Why: It changes more than capitals: "ß" becomes "ss".
Pitfall: words
Caught by: TestSplit
"""

from g2c.solutions.char_word import WordTokenizer as AnswerKey


class WordTokenizer(AnswerKey):
    def _split(self, text):
        return text.casefold().split()
