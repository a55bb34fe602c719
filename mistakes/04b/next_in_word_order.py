"""From left to right, the first pair that was learned.

Mistake: the first pair of the word is taken
Why: Not the pair that stands first in the word, but the one learned first.
Pitfall: merge-order
Caught by: TestNextMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        for pair in zip(symbols, symbols[1:]):
            if pair in self.merges:
                return pair
        return None
