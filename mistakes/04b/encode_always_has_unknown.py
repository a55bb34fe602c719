"""get with the unknown token's ID as its default.

Mistake: an unknown token is accepted without an unknown token
Why: Without one there is no ID to give: raise a ValueError.
Pitfall: unknown-token
Caught by: TestEncode
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        tokens = [token for word in self._words(text) for token in self.tokenize(word)]
        ids = [self.token_to_id.get(token, self.token_to_id.get(self.unk_token, 0)) for token in tokens]
        ends = AnswerKey.encode(self, "", add_special_tokens)
        return [*ends[:1], *ids, *ends[1:]]
