"""vocab.get with an empty default so that a strange ID can't crash the program.

Mistake: an ID that is not in vocab is left out, no ValueError is raised.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        return b"".join(self.vocab.get(i, b"") for i in ids).decode("utf-8", errors="replace")
