"""For every pair that I find I append its ID to the piece, and go on with the longer piece.

Mistake: encode never returns
Why: Every round must come closer to the end of the loop, and with nothing left to do it must stop.
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
