"""If the first merge is not in the word, there is none.

Mistake: only the first of the merges is tried
Why: The return None belongs after the loop: only when no merge was found is there none.
Pitfall: merge-order
Caught by: TestNextMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        for pair in self.merges:
            if pair in zip(symbols, symbols[1:]):
                return pair
            else:
                return None
        return None
