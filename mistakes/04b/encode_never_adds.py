"""The second argument can wait.

Mistake: [BOS] and [EOS] are not added
Why: With add_special_tokens they stand around the text.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        return AnswerKey.encode(self, text)
