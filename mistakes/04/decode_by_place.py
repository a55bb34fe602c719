"""vocab as a list, and the ID is the place in it.

Mistake: an ID is taken for a place in vocab
Why: IDs can have gaps, and -1 is a list's last place: look the ID up as a key.
Pitfall: unknown-id
Caught by: TestDecode
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
