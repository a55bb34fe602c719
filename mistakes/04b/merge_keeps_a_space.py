"""The new symbol is the pair, with a space between its halves.

Mistake: there is a space in the joined symbol
Why: The joined symbol is left + right.
Pitfall: symbols
Caught by: TestMerge
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        return tuple(
            " ".join(pair) if symbol == "".join(pair) else symbol for symbol in AnswerKey._merge(self, symbols, pair)
        )
