"""A text begins with [BOS] and ends with [EOS].

Mistake: [BOS] and [EOS] are always added
Why: Only when add_special_tokens is true.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        return AnswerKey.encode(self, text, True)
