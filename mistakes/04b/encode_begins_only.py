"""A text needs a beginning.

Mistake: only one of [BOS] and [EOS] is added
Why: [BOS] stands before the text, and [EOS] after it.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = AnswerKey.encode(self, text, add_special_tokens)
        return ids[:-1] if add_special_tokens else ids
