"""What is not in the vocabulary is left out.

Mistake: unknown tokens are left out
Why: Text would be lost without a trace: each becomes the unknown token's ID.
Pitfall: unknown-token
Caught by: TestEncode
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        tokens = [token for word in self._words(text) for token in self.tokenize(word)]
        ids = [self.token_to_id[token] for token in tokens if token in self.token_to_id]
        return (
            [*AnswerKey.encode(self, "", True)[:1], *ids, self.token_to_id[self.eos_token]]
            if add_special_tokens
            else ids
        )
