"""index tells me where the left symbol is, and the right one is at the next place.

Mistake: the neighbor is looked up with index
Why: index finds only the first of several equal symbols. Look at all pairs of neighbors.
Pitfall: merge-order
Caught by: TestNextMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        symbols = list(symbols)
        for left, right in self.merges:
            if left in symbols and symbols[symbols.index(left) + 1 :][:1] == [right]:
                return left, right
        return None
