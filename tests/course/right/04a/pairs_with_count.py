"""Numbers from zip and count, a function inside encode, words lowered one by one."""

from itertools import count

from g2c.tokenizer.char_word import CharTokenizer as CharExercise
from g2c.tokenizer.char_word import WordTokenizer as WordExercise


class CharTokenizer(CharExercise):
    def build_vocab(self, text):
        symbols = set(self.symbols(text))
        symbols.discard(self.unk_token)
        rows = list(
            zip(
                [self.unk_token] * (self.unk_token is not None) + sorted(symbols),
                count(),
            )
        )
        self.token_to_id, self.id_to_token = (
            dict(rows),
            {number: symbol for symbol, number in rows},
        )

    def encode(self, text):
        def number(symbol):
            found = self.token_to_id.get(symbol, self.token_to_id.get(self.unk_token))
            if found is None:
                raise ValueError("no such symbol: " + symbol)
            return found

        return [number(symbol) for symbol in self.symbols(text)]

    def decode(self, ids):
        symbols = [self.id_to_token.get(token_id) for token_id in ids]
        if None in symbols:
            raise ValueError(f"unknown: {[token_id for token_id in ids if token_id not in self.id_to_token]}")
        return self._join(symbols)


class WordTokenizer(WordExercise, CharTokenizer):
    def _split(self, text):
        return [word.lower() for word in text.split()]

    def _join(self, symbols):
        text = ""
        for symbol in symbols:
            text += " " * (text != "") + symbol
        return text
