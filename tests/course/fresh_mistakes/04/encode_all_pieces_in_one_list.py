"""First collect everything, then merge once at the end, so the loop is not run again for each piece.

Mistake: the pieces are put in one list before merging, so merges reach across the borders between pieces.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for piece in self._pieces(text):
            if isinstance(piece, int):
                ids.append(piece)
            else:
                ids.extend(piece)
        while True:
            known = [p for p in zip(ids, ids[1:]) if p in self.merges]
            if not known:
                return ids
            pair = min(known, key=self.merges.get)
            ids = self._merge(ids, pair, self.merges[pair])
