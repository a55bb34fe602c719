"""A piece that is a token already has nothing left to merge, and looking it up is faster.

Mistake: a piece that is a token is not merged
Why: The merges need not lead to that token: one learned earlier can take a byte from it. Always merge.
Pitfall: merge-order
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        id_of = {token: token_id for token_id, token in self.vocab.items()}
        ids = []
        for piece in self._pieces(text):
            if isinstance(piece, int):
                ids.append(piece)
            elif piece in id_of:
                ids.append(id_of[piece])
            else:
                piece_ids = list(piece)
                while known := [pair for pair in zip(piece_ids, piece_ids[1:]) if pair in self.merges]:
                    pair = min(known, key=self.merges.get)
                    piece_ids = self._merge(piece_ids, pair, self.merges[pair])
                ids.extend(piece_ids)
        return ids
