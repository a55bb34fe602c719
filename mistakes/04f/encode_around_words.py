"""Every word begins and ends.

Mistake: [CLS] and [SEP] stand around every word
Why: They stand around the text, once.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        return [token_id for word in self._words(text) for token_id in AnswerKey.encode(self, word, add_special_tokens)]
