"""min with the place in merges as its key.

Mistake: an error where no pair is left
Why: A word without known pairs is finished: return None.
Pitfall: no-merge
Caught by: TestNextMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        return min((pair for pair in zip(symbols, symbols[1:]) if pair in self.merges), key=self.merges.index)
