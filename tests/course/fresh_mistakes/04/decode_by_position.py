"""The vocabulary as a list, then the ID is the index.

Mistake: a position in vocab is not an ID when IDs have gaps, and -1 is the last position.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def decode(self, ids):
        tokens = list(self.vocab.values())
        try:
            data = b"".join(tokens[i] for i in ids)
        except IndexError:
            raise ValueError(f"There is an ID in {list(ids)} that does not exist") from None
        return data.decode("utf-8", errors="replace")
