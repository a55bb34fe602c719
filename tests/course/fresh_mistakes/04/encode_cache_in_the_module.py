"""Pieces repeat, so I keep their IDs in a dictionary at the top of the file.

Mistake: the dictionary is shared by all tokenizers and outlives training.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey

_CACHE = {}


class BPETokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for piece in self._pieces(text):
            if isinstance(piece, int):
                ids.append(piece)
                continue
            if piece not in _CACHE:
                part = list(piece)
                while known := [p for p in zip(part, part[1:]) if p in self.merges]:
                    pair = min(known, key=self.merges.get)
                    part = self._merge(part, pair, self.merges[pair])
                _CACHE[piece] = part
            ids += _CACHE[piece]
        return ids
