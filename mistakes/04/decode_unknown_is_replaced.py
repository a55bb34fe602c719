"""An ID that nobody knows becomes the replacement character, like invalid bytes.

Mistake: an ID that does not exist is passed over
Why: Lost text must not go unnoticed: raise a ValueError that names the ID.
Pitfall: unknown-id
Caught by: TestDecode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        return b"".join(self.vocab.get(token_id, "\ufffd".encode()) for token_id in ids).decode(errors="replace")
