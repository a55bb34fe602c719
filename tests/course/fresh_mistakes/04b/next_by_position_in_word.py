"""I go through the pairs of the word and return the first that is in merges.

Mistake: the order of the word decides in place of the order in which the merges were learned.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        for pair in zip(symbols, symbols[1:]):
            if pair in self.merges:
                return pair
        return None
