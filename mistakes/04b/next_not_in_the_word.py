"""The merge learned first whose two symbols are both in the word.

Mistake: a pair that is not in the word
Why: Only two neighbors of this word can be joined.
Pitfall: merge-order
Caught by: TestNextMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        for left, right in self.merges:
            if left in symbols and right in symbols:
                return left, right
        return None
