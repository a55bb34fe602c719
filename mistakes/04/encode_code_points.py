"""Every character has a number: ord.

Mistake: characters' numbers instead of bytes
Why: ord gives a code point, which may exceed 255: start from the UTF-8 bytes.
Pitfall: str-for-bytes
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        ids = [ord(character) for character in text]
        while known := [pair for pair in zip(ids, ids[1:]) if pair in self.merges]:
            pair = min(known, key=self.merges.get)
            ids = self._merge(ids, pair, self.merges[pair])
        return ids
