"""I make a list of the word, so that I can cut it, and compare two entries with the pair.

Mistake: nothing is joined
Why: A list never equals a tuple: ["a", "b"] == ("a", "b") is False.
Pitfall: tuple
Caught by: TestMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        symbols = list(symbols)
        merged, position = [], 0
        while position < len(symbols):
            if symbols[position : position + 2] == pair:
                merged.append(pair[0] + pair[1])
                position += 2
            else:
                merged.append(symbols[position])
                position += 1
        return tuple(merged)
