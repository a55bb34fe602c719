"""The text should not begin or end with spaces.

Mistake: characters of the text are lost
Why: White space and line ends are part of the text: return exactly what the bytes say.
Pitfall: changed-text
Caught by: TestRoundTrip
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        for token_id in ids:
            if token_id not in self.vocab:
                raise ValueError(f"there is no token with ID {token_id}")
        return b"".join(self.vocab[token_id] for token_id in ids).decode(errors="replace").strip()
