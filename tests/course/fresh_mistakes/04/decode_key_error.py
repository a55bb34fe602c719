"""vocab[i] complains by itself when there's no such ID.

Mistake: it complains with KeyError, and ValueError was asked for.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        return b"".join(self.vocab[i] for i in ids).decode("utf-8", errors="replace")
