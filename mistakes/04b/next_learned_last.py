"""The newest merges make the longest symbols, so they go first.

Mistake: the pair learned last is taken
Why: The one learned first goes first: the earliest in merges.
Pitfall: merge-order
Caught by: TestNextMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        pairs = set(zip(symbols, symbols[1:]))
        return next((pair for pair in reversed(self.merges) if pair in pairs), None)
