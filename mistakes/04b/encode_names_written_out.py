"""A sentence begins with [BOS] and ends with [EOS].

Mistake: the names of the special tokens are written out
Why: A tokenizer can call them something else: use self.bos_token and self.eos_token.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.word_bpe import WordBPETokenizer as AnswerKey


class WordBPETokenizer(AnswerKey):
    def encode(self, text, add_special_tokens=False):
        ids = super().encode(text)
        if not add_special_tokens:
            return ids
        for name in ("[BOS]", "[EOS]"):
            if name not in self.token_to_id:
                raise ValueError(f"The vocabulary does not have {name}.")
        return [self.token_to_id["[BOS]"], *ids, self.token_to_id["[EOS]"]]
