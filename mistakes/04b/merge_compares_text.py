"""When the two symbols together make the text of the pair, it is the pair.

Mistake: symbols are compared by their text put together
Why: ('a', 'bc') and ('ab', 'c') make the same text and are two pairs.
Pitfall: symbols
Caught by: TestMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        merged, position = [], 0
        while position < len(symbols):
            if "".join(symbols[position : position + 2]) == "".join(pair) and position + 1 < len(symbols):
                merged.append("".join(pair))
                position += 2
            else:
                merged.append(symbols[position])
                position += 1
        return tuple(merged)
