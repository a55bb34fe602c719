"""get gives None for what is not there, and then `or` takes the unknown token.

Mistake: the ID 0 counts as missing
Why: 0 is false: ask `token in self.token_to_id`.
Pitfall: unknown-token
Caught by: TestEncode
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = []
        for word in self._words(text):
            for token in self.tokenize(word):
                token_id = self.token_to_id.get(token) or self.token_to_id.get(self.unk_token)
                if token_id is None:
                    raise ValueError(f"{token!r} is not in the vocabulary")
                ids.append(token_id)
        if add_special_tokens:
            for name in (self.bos_token, self.eos_token):
                if name not in self.token_to_id:
                    raise ValueError(f"{name!r} is not among the special tokens")
            ids = [self.token_to_id[self.bos_token], *ids, self.token_to_id[self.eos_token]]
        return ids
