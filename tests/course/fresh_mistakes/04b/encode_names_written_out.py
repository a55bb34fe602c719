"""[BOS] and [EOS] go around.

Mistake: the names are written out, and bos_token and eos_token of the tokenizer are ignored.
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = []
        for word in self._words(text):
            for t in self.tokenize(word):
                if t in self.token_to_id:
                    ids.append(self.token_to_id[t])
                elif self.unk_token in self.token_to_id:
                    ids.append(self.token_to_id[self.unk_token])
                else:
                    raise ValueError(f"no token {t!r}")
        if add_special_tokens:
            if "[BOS]" not in self.token_to_id or "[EOS]" not in self.token_to_id:
                raise ValueError("[BOS] or [EOS] is missing")
            ids = [self.token_to_id["[BOS]"], *ids, self.token_to_id["[EOS]"]]
        return ids
