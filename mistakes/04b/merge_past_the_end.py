"""Compare each symbol and the next one with the pair.

Mistake: a neighbor is looked for after the last symbol
Why: n symbols have n - 1 pairs: end the loop one earlier.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        merged, position = [], 0
        while position < len(symbols):
            if (symbols[position], symbols[position + 1]) == pair:
                merged.append(pair[0] + pair[1])
                position += 2
            else:
                merged.append(symbols[position])
                position += 1
        return tuple(merged)
