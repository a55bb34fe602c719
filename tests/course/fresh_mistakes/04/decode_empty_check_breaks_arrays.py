"""Nothing in, nothing out: I handle the empty input first.

Mistake: `if not ids` asks for the truth value of the argument, which raises for a numpy array of more than one ID.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        if not ids:
            return ""
        parts = []
        for i in ids:
            if i not in self.vocab:
                raise ValueError(f"There is no token {i}.")
            parts.append(self.vocab[i])
        return b"".join(parts).decode("utf-8", errors="replace")
