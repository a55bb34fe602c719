"""min of the known pairs is the first one.

Mistake: the first pair in the alphabet is taken
Why: min compares the pairs themselves. The order is that of merges: key=self.merges.index.
Pitfall: merge-order
Caught by: TestNextMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        return min((pair for pair in zip(symbols, symbols[1:]) if pair in self.merges), default=None)
