"""Longer symbols are better, so take the merge with the longest result.

Mistake: length decides and not the order of learning.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        known = [p for p in zip(symbols, symbols[1:]) if p in self.merges]
        return max(known, key=lambda p: len(p[0] + p[1]), default=None)
