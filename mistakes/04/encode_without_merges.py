"""Text becomes bytes, and bytes are numbers.

Mistake: no merge is applied
Why: Look for neighbors that are in self.merges, and replace them.
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
            ids.extend(piece_ids)
        return ids
