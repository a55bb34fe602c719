"""In BERT, [CLS] is 101 and [SEP] is 102.

Mistake: the IDs of [CLS] and [SEP] are fixed
Why: They depend on the vocabulary: look them up in token_to_id.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.wordpiece import WordPieceTokenizer as AnswerKey


class WordPieceTokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = AnswerKey.encode(self, text)
        return [101, *ids, 102] if add_special_tokens else ids
