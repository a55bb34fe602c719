"""I repeat until everything is merged.

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
            while True:
                known = [pair for pair in zip(piece_ids, piece_ids[1:]) if pair in self.merges]
                if known:
                    pair = min(known, key=self.merges.get)
                    piece_ids = self._merge(piece_ids, pair, self.merges[pair])
            ids.extend(piece_ids)
        return ids
