"""The function is done with the piece that it has.

Mistake: only one of the pieces comes back
Why: Collect the IDs of all pieces in one list, and return it after the loop.
Pitfall: barriers
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for piece in self._pieces(text):
            if isinstance(piece, int):
                return ids + [piece]
            part = list(piece)
            for pair, new_id in self.merges.items():
                part = self._merge(part, pair, new_id)
            return ids + part
        return ids
