"""Built the table symbol -> ID, encode works fine with it.

Mistake: id_to_token is not set, it keeps what it had before.
"""

from g2c.solutions.char_word import CharTokenizer as AnswerKey


class CharTokenizer(AnswerKey):
    def build_vocab(self, text):
        vocab = sorted(set(self.symbols(text)))
        if self.unk_token is not None:
            vocab = [self.unk_token] + [v for v in vocab if v != self.unk_token]
        self.token_to_id = dict(zip(vocab, range(len(vocab))))
