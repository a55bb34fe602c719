"""Learned tokens begin at 256, and I go through them in order.

Mistake: merges are looked for from 256 on
Why: With special tokens the first merge has a higher ID: take the IDs from self.merges.
Pitfall: id-offset
Caught by: TestSpecialTokens
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for piece in self._pieces(text):
            if isinstance(piece, int):
                ids.append(piece)
                continue
            part = list(piece)
            for new_id in range(256, 256 + len(self.merges)):
                for p, n in self.merges.items():
                    if n == new_id:
                        part = self._merge(part, p, n)
            ids += part
        return ids
