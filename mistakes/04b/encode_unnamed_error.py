"""Say that something is unknown.

Mistake: the error does not name the token
Why: Put the token into the message.
Pitfall: unknown-token
Caught by: TestEncode
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        try:
            return AnswerKey.encode(self, text, add_special_tokens)
        except ValueError:
            raise ValueError("UNKNOWN TOKEN") from None
