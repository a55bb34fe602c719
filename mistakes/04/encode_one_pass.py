"""One walk over the piece, in which every pair that is in merges becomes its ID.

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
            position = 0
            while position < len(piece_ids) - 1:
                new_id = self.merges.get((piece_ids[position], piece_ids[position + 1]))
                if new_id is not None:
                    piece_ids[position : position + 2] = [new_id]
                position += 1
            ids.extend(piece_ids)
        return ids
