"""A vocabulary has each word once.

Mistake: each word is there only once
Why: _split gives all words of the text in order; the vocabulary comes later.
Pitfall: words
Caught by: TestWordTokenizer
"""

from g2c.solutions.char_word import WordTokenizer as AnswerKey


class WordTokenizer(AnswerKey):
    def _split(self, text):
        return list(dict.fromkeys(text.lower().split()))
