"""update overwrites what is there.

Mistake: IDs of an earlier, larger vocabulary stay in id_to_token.
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        reserved = [] if self.unk_token is None else [self.unk_token]
        # Sorted, so the same text gives the same IDs in every run.
        symbols = reserved + sorted(set(self.symbols(text)) - set(reserved))
        self.token_to_id = {symbol: token_id for token_id, symbol in enumerate(symbols)}
        self.id_to_token.update(enumerate(symbols))
