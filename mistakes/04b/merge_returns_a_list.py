"""I collect the symbols in a list and return it.

Mistake: a list where a tuple belongs
Why: A word is the key of a dictionary, and a list cannot be one: tuple(...).
Pitfall: tuple
Caught by: TestMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        return list(AnswerKey._merge(self, symbols, pair))
