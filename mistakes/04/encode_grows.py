"""For every pair that I find I append its ID to the piece, and go on with the longer piece.

Mistake: encode never returns
Why: Each iteration must bring the loop closer to its end, and the loop must end when nothing is left to do.
Pitfall: endless-encode
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
            for token_id in piece_ids:
                piece_ids.append(token_id)
            ids.extend(piece_ids)
        return ids
