"""next gives the first pair of the generator.

Mistake: an error where no pair is left
Why: A word without known pairs is finished: return None.
Pitfall: no-merge
Caught by: TestNextMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        pairs = set(zip(symbols, symbols[1:]))
        return next(pair for pair in self.merges if pair in pairs)
