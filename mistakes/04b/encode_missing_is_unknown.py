"""[BOS] is a token like the others: when it is not there, it is unknown.

Mistake: a missing [BOS] or [EOS] is passed over
Why: Whoever asks for it must hear that there is none: raise a ValueError.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        tokens = [token for word in self._words(text) for token in self.tokenize(word)]
        if add_special_tokens:
            tokens = [self.bos_token, *tokens, self.eos_token]
        ids = []
        for token in tokens:
            if token not in self.token_to_id and self.unk_token not in self.token_to_id:
                raise ValueError(f"{token!r} is unknown.")
            ids.append(self.token_to_id.get(token, self.token_to_id.get(self.unk_token)))
        return ids
