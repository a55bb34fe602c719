"""Every token has its ID in token_to_id.

Mistake: a KeyError for a token that is not in the vocabulary
Why: It becomes the unknown token's ID; without an unknown token, raise a ValueError.
Pitfall: unknown-token
Caught by: TestEncode
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        tokens = [token for word in self._words(text) for token in self.tokenize(word)]
        if add_special_tokens:
            if self.bos_token not in self.token_to_id or self.eos_token not in self.token_to_id:
                raise ValueError("[BOS] or [EOS] is missing.")
            tokens = [self.bos_token, *tokens, self.eos_token]
        return [self.token_to_id[token] for token in tokens]
