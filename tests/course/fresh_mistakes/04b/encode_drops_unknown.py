"""Only tokens that have an ID.

Mistake: unknown tokens disappear instead of becoming the unknown token.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = []
        for word in self._words(text):
            ids += [self.token_to_id[t] for t in self.tokenize(word) if t in self.token_to_id]
        if add_special_tokens:
            for name in (self.bos_token, self.eos_token):
                if name not in self.token_to_id:
                    raise ValueError(f"no special token {name!r}")
            ids = [self.token_to_id[self.bos_token]] + ids + [self.token_to_id[self.eos_token]]
        return ids
