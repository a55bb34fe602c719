"""str makes text of everything.

Mistake: str made from bytes objects
Why: str(b"Hi") gives the text "b'Hi'": call decode on the joined bytes.
Pitfall: str-for-bytes
Caught by: TestDecode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        for token_id in ids:
            if token_id not in self.vocab:
                raise ValueError(f"there is no token with ID {token_id}")
        return str(b"".join(self.vocab[token_id] for token_id in ids))
