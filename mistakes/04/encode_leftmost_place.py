"""I replace the first known pair that I find, at its place, and look again from the start.

Mistake: merges are applied in text order
Why: The pair that was learned first goes first, wherever it stands: the lowest new ID.
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
            while known := [i for i, pair in enumerate(zip(piece_ids, piece_ids[1:])) if pair in self.merges]:
                place = known[0]
                piece_ids[place : place + 2] = [self.merges[piece_ids[place], piece_ids[place + 1]]]
            ids.extend(piece_ids)
        return ids
