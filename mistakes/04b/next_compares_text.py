"""A merge fits when its text stands in the word.

Mistake: a pair that is not in the word
Why: Only two neighbors of this word can be joined.
Pitfall: merge-order
Caught by: TestNextMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        for pair in self.merges:
            if " ".join(pair) in " ".join(symbols):
                return pair
        return None
