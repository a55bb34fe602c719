"""get with the unknown token's ID as the default, in one line.

Mistake: the default is evaluated for every token, so a tokenizer without an unknown token raises KeyError even for tokens that it knows.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = []
        for word in self._words(text):
            for token in self.tokenize(word):
                ids.append(self.token_to_id.get(token, self.token_to_id[self.unk_token]))
        if add_special_tokens:
            if self.bos_token not in self.token_to_id or self.eos_token not in self.token_to_id:
                raise ValueError("bos_token or eos_token is not in the vocabulary")
            ids = [self.token_to_id[self.bos_token]] + ids + [self.token_to_id[self.eos_token]]
        return ids
