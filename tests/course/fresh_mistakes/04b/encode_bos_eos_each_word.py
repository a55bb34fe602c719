"""For each word: BOS, tokens of the word, EOS.

Mistake: [BOS] and [EOS] are put around each word and not once around the text.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        if add_special_tokens:
            for t in (self.bos_token, self.eos_token):
                if t not in self.token_to_id:
                    raise ValueError(f"{t!r} is missing")
        ids = []
        for word in self._words(text):
            if add_special_tokens:
                ids.append(self.token_to_id[self.bos_token])
            for token in self.tokenize(word):
                if token in self.token_to_id:
                    ids.append(self.token_to_id[token])
                elif self.unk_token in self.token_to_id:
                    ids.append(self.token_to_id[self.unk_token])
                else:
                    raise ValueError(f"unknown token {token!r}")
            if add_special_tokens:
                ids.append(self.token_to_id[self.eos_token])
        return ids
