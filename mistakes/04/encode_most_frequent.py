"""In training the most frequent pair goes first, and encoding does the same.

Mistake: the most frequent pair of the text goes first
Why: Frequency decides in training. In encoding, the order in which the merges were learned does.
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
            while known := [pair for pair in zip(piece_ids, piece_ids[1:]) if pair in self.merges]:
                pair = max(known, key=known.count)
                piece_ids = self._merge(piece_ids, pair, self.merges[pair])
            ids.extend(piece_ids)
        return ids
