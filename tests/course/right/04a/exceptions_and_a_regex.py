"""The vocabulary from a sorted list without repetition, exceptions for what is missing, words by a regular expression."""

import re

from g2c.tokenizer.char_word import CharTokenizer as CharExercise
from g2c.tokenizer.char_word import WordTokenizer as WordExercise


class CharTokenizer(CharExercise):
    def build_vocab(self, text):
        self.token_to_id = {}
        for symbol in [*filter(None, [self.unk_token]), *sorted(self.symbols(text))]:
            self.token_to_id.setdefault(symbol, len(self.token_to_id))
        self.id_to_token = {token_id: symbol for symbol, token_id in self.token_to_id.items()}

    def encode(self, text):
        symbols = self.symbols(text)
        if self.unk_token is not None:
            return [self.token_to_id.get(symbol, 0) for symbol in symbols]
        try:
            return list(map(self.token_to_id.__getitem__, symbols))
        except KeyError as error:
            raise ValueError(f"unknown symbol: {error.args[0]}") from None

    def decode(self, ids):
        try:
            return self._join([self.id_to_token[token_id] for token_id in ids])
        except KeyError as error:
            raise ValueError(f"unknown ID: {error.args[0]}") from error


class WordTokenizer(WordExercise, CharTokenizer):
    def _split(self, text):
        return re.findall(r"\S+", text.casefold() if text.isascii() else text.lower())

    def _join(self, symbols):
        text = ""
        for symbol in symbols:
            text += f" {symbol}" if text else symbol
        return text
