"""vocab.get with empty bytes never fails.

Mistake: an ID that does not exist is passed over
Why: Lost text must not go unnoticed: raise a ValueError that names the ID.
Pitfall: unknown-id
Caught by: TestDecode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        tokens = []
        for token_id in ids:
            tokens.append(self.vocab.get(token_id, b""))
        return b"".join(tokens).decode("utf-8", errors="replace")
