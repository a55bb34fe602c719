"""The word with its new symbol, put together.

Mistake: text where symbols belong
Why: A word is a tuple of symbols, not one string.
Pitfall: tuple
Caught by: TestMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        return " ".join(AnswerKey._merge(self, symbols, pair))
