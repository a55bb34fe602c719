"""I take IDs from the list until it is empty.

Mistake: only a list is accepted
Why: IDs may come in an array, which has no pop: loop over them with for.
Pitfall: unknown-id
Caught by: TestDecode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        for token_id in ids:
            if token_id not in self.vocab:
                raise ValueError(f"there is no token with ID {token_id}")
        data = b""
        ids = ids.copy()
        while len(ids):
            data += self.vocab[ids.pop(0)]
        return data.decode(errors="replace")
