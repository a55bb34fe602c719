"""b"".join gives me bytes and I need a str, so str(...) around it.

Mistake: str() of bytes gives the Python notation b'...' and does not decode UTF-8.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        tokens = []
        for id in ids:
            try:
                tokens.append(self.vocab[id])
            except KeyError:
                raise ValueError(f"id {id} not in vocab")
        return str(b"".join(tokens))
