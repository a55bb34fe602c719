"""IDs go from 0 to vocab_size - 1, so every other ID is an error.

Mistake: the size of the vocabulary decides which IDs exist
Why: Special tokens can have any IDs, and between them are gaps: ask whether the ID is in vocab.
Pitfall: unknown-id
Caught by: TestDecode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        ids = list(ids)
        for token_id in ids:
            if token_id < 0 or token_id >= self.vocab_size:
                raise ValueError(f"{token_id} is out of range")
        return b"".join(self.vocab[token_id] for token_id in ids).decode("utf-8", errors="replace")
