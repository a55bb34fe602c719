"""The two symbols stand side by side: it is the pair.

Mistake: left and right are not told apart
Why: ("o", "l") is not the pair ("l", "o").
Pitfall: symbols
Caught by: TestRoundTrip
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def _merge(self, symbols, pair):
        merged = AnswerKey._merge(self, symbols, pair)
        return tuple(AnswerKey._merge(self, merged, pair[::-1]))
