"""I call self._merge for the pair and look again at the pairs until there is none.

Mistake: the list that _merge returns is not kept, so the same pair is found again and again and the loop never ends.
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
            known = [p for p in zip(piece_ids, piece_ids[1:]) if p in self.merges]
            while known:
                pair = min(known, key=self.merges.get)
                self._merge(piece_ids, pair, self.merges[pair])
                known = [p for p in zip(piece_ids, piece_ids[1:]) if p in self.merges]
            ids.extend(piece_ids)
        return ids
