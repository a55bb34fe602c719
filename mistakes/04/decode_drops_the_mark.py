"""utf-8-sig reads files with and without a mark at the beginning.

Mistake: U+FEFF at the beginning is lost
Why: Decode as "utf-8": "utf-8-sig" takes it off.
Pitfall: changed-text
Caught by: TestRoundTrip
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        super().decode(ids)
        return b"".join(self.vocab[i] for i in ids).decode("utf-8-sig", errors="replace")
