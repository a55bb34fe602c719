"""I work from the back, so that positions before it stay valid.

Mistake: merges are applied from the end of the text
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
            while known := [pair for pair in zip(piece_ids, piece_ids[1:]) if pair in self.merges]:
                piece_ids = self._merge(piece_ids, known[-1], self.merges[known[-1]])
            ids.extend(piece_ids)
        return ids
