"""merges is in the order learned, so I go through it from its beginning.

Mistake: the place in merges decides
Why: The lowest new ID was learned first; merges may be in another order.
Pitfall: merge-order
Caught by: TestEncode
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
            for pair, new_id in self.merges.items():
                part = self._merge(part, pair, new_id)
            ids.extend(part)
        return ids
