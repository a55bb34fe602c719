"""Joining is what CharTokenizer does already.

Mistake: words are put together without a space
Why: Put one space between every two words: " ".join(symbols).
Pitfall: join
Caught by: TestJoin
"""

from g2c.solutions.char_word import WordTokenizer as AnswerKey


class WordTokenizer(AnswerKey):
    def _join(self, symbols):
        return "".join(symbols)
