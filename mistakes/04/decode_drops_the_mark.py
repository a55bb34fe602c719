"""utf-8-sig reads files with and without a mark at the beginning.

Mistake: U+FEFF at the beginning is lost
Why: "utf-8-sig" removes a leading U+FEFF: decode as "utf-8".
Pitfall: changed-text
Caught by: TestRoundTrip
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        super().decode(ids)
        return b"".join(self.vocab[i] for i in ids).decode("utf-8-sig", errors="replace")
