"""I find the pair with the lowest ID and replace it everywhere.

Mistake: only one merge is applied
Why: After a replacement look again: the new ID may be half of another known pair.
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
            piece_ids = list(piece)
            known = [pair for pair in zip(piece_ids, piece_ids[1:]) if pair in self.merges]
            if known:
                pair = min(known, key=self.merges.get)
                piece_ids = self._merge(piece_ids, pair, self.merges[pair])
            ids.extend(piece_ids)
        return ids
