"""The longer the symbol, the better.

Mistake: the pair with the longest text is taken
Why: Lengths do not matter, only the order of learning.
Pitfall: merge-order
Caught by: TestNextMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        known = [pair for pair in zip(symbols, symbols[1:]) if pair in self.merges]
        return max(known, key=lambda pair: len(pair[0] + pair[1]), default=None)
