"""str makes text of anything, also of bytes.

Mistake: str made from bytes objects
Why: str(b'H') gives the text "b'H'": join the bytes, then decode them.
Pitfall: str-for-bytes
Caught by: TestDecode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        tokens = []
        for token_id in ids:
            if token_id not in self.vocab:
                raise ValueError(f"There is no token with ID {token_id}.")
            tokens.append(self.vocab[token_id])
        return "".join(str(token) for token in tokens)
