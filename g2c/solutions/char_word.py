"""Answer key of module 04a. What each method takes and returns is documented in g2c/tokenizer/char_word.py."""

from g2c.tokenizer import char_word


class CharTokenizer(char_word.CharTokenizer):
    def build_vocab(self, text):
        reserved = [] if self.unk_token is None else [self.unk_token]
        # Sorted, so the same text gives the same IDs in every run.
        symbols = reserved + sorted(set(self.symbols(text)) - set(reserved))
        self.token_to_id = {symbol: token_id for token_id, symbol in enumerate(symbols)}
        self.id_to_token = dict(enumerate(symbols))

    def encode(self, text):
        ids = []
        for symbol in self.symbols(text):
            # Checked with `in`, because the ID 0 is false.
            if symbol in self.token_to_id:
                ids.append(self.token_to_id[symbol])
            elif self.unk_token is not None:
                ids.append(self.token_to_id[self.unk_token])
            else:
                raise ValueError(f"{symbol!r} is not in the vocabulary, and there is no unknown token to stand for it.")
        return ids

    def decode(self, ids):
        symbols = []
        for token_id in ids:
            if token_id not in self.id_to_token:
                raise ValueError(f"There is no token with ID {token_id} in this vocabulary of {self.vocab_size}.")
            symbols.append(self.id_to_token[token_id])
        # _join knows that words need a space between them, and characters do not.
        return self._join(symbols)


class WordTokenizer(char_word.WordTokenizer, CharTokenizer):
    def _split(self, text):
        # Without an argument, split treats a run of whitespace as one separator.
        return text.lower().split()

    def _join(self, symbols):
        return " ".join(symbols)
