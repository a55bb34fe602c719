"""The loop ends at the last symbol that has a neighbor.

Mistake: the last symbol is lost
Why: It has no neighbor, but it still has to be copied.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        merged, position = [], 0
        while position < len(symbols) - 1:
            if symbols[position : position + 2] == pair:
                merged.append(pair[0] + pair[1])
                position += 2
            else:
                merged.append(symbols[position])
                position += 1
        return tuple(merged)
