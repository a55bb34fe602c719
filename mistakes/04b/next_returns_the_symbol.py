"""What comes out is the joined symbol.

Mistake: text where a pair belongs
Why: Return the pair (left, right); joining is for _merge.
Pitfall: no-merge
Caught by: TestNextMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _next_merge(self, symbols):
        pairs = set(zip(symbols, symbols[1:]))
        return next((pair[0] + pair[1] for pair in self.merges if pair in pairs), None)
