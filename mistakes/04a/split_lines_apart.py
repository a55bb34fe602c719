"""Lines first, then words.

Mistake: a list of lists comes back
Why: One list of words for the whole text, not one for each line.
Pitfall: words
Caught by: TestSplit
"""

from g2c.solutions.char_word import WordTokenizer as AnswerKey


class WordTokenizer(AnswerKey):
    def _split(self, text):
        return [line.split() for line in text.lower().splitlines()]
