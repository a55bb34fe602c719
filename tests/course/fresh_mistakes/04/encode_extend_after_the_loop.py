"""The last line of my loop slipped one level to the left.

Mistake: the IDs of a piece are added after the loop, so only the last byte piece is in the result (and none at all is an UnboundLocalError).
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
            while True:
                known = {self.merges[p]: p for p in zip(piece_ids, piece_ids[1:]) if p in self.merges}
                if not known:
                    break
                new_id = min(known)
                piece_ids = self._merge(piece_ids, known[new_id], new_id)
        ids.extend(piece_ids)
        return ids
