"""self.tokenize cuts into tokens, I give it the text.

Mistake: tokenize takes one word; a text with white space (or an empty one) makes it raise ValueError, _words is not used.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = []
        for token in self.tokenize(text):
            if token in self.token_to_id:
                ids.append(self.token_to_id[token])
            elif self.unk_token in self.token_to_id:
                ids.append(self.token_to_id[self.unk_token])
            else:
                raise ValueError(f"{token!r} is unknown")
        if add_special_tokens:
            for name in (self.bos_token, self.eos_token):
                if name not in self.token_to_id:
                    raise ValueError(f"{name!r} is unknown")
            ids.insert(0, self.token_to_id[self.bos_token])
            ids.append(self.token_to_id[self.eos_token])
        return ids
