"""[BOS] is 2 and [EOS] is 3.

Mistake: the IDs of [BOS] and [EOS] are fixed
Why: They depend on the list of special tokens: look them up in token_to_id.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = AnswerKey.encode(self, text)
        return [2, *ids, 3] if add_special_tokens else ids
