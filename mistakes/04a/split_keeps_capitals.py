"""split cuts a text into its words.

Mistake: upper case is kept
Why: "The" and "the" are the same word here: call text.lower() first.
Pitfall: words
Caught by: TestSplit
"""

from g2c.solutions.char_word import WordTokenizer as AnswerKey


class WordTokenizer(AnswerKey):
    def _split(self, text):
        return text.split()
