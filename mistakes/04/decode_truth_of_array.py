"""Without IDs the text is empty; I ask that first.

Mistake: an array is used as a condition
Why: IDs may come as an array, which is neither true nor false: loop over them without `if ids`.
Pitfall: unknown-id
Caught by: TestDecode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        if not ids:
            return ""
        tokens = []
        for token_id in ids:
            if token_id not in self.vocab:
                raise ValueError(f"There is no token with ID {token_id}.")
            tokens.append(self.vocab[token_id])
        return b"".join(tokens).decode("utf-8", errors="replace")
