"""What cannot be decoded should at least be readable.

Mistake: invalid bytes become something else
Why: The replacement character U+FFFD stands for them: errors="replace".
Pitfall: strict-utf8
Caught by: TestDecode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        for token_id in ids:
            if token_id not in self.vocab:
                raise ValueError(f"there is no token with ID {token_id}")
        return b"".join(self.vocab[token_id] for token_id in ids).decode(errors="backslashreplace")
