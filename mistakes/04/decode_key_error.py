"""An ID that is not in vocab raises an error by itself.

Mistake: a KeyError for an ID that does not exist
Why: Ask whether the ID is in vocab, and raise a ValueError that names it.
Pitfall: unknown-id
Caught by: TestDecode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        tokens = []
        for token_id in ids:
            tokens.append(self.vocab[token_id])
        return b"".join(tokens).decode("utf-8", errors="replace")
