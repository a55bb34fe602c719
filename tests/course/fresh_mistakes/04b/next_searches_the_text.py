"""The merge applies if its text is in the word.

Mistake: the joined text can be in the word although no two neighboring symbols are the pair.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        word = "".join(symbols)
        for left, right in self.merges:
            if left + right in word and left in symbols and right in symbols:
                return left, right
        return None
