"""Words are separated by spaces.

Mistake: the text is cut at every single space
Why: Two spaces then enclose an empty word, and line ends stay: call split without an argument.
Pitfall: empty-words
Caught by: TestSplit
"""

from g2c.solutions.char_word import WordTokenizer as AnswerKey


class WordTokenizer(AnswerKey):
    def _split(self, text):
        return text.lower().split(" ")
