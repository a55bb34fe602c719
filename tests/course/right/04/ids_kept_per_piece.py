"""Keeps the IDs of each piece, and begins again when the merges are others."""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        state = tuple(self.merges.items())
        if getattr(self, "_cache_state", None) != state:
            self._cache_state, self._cache = state, {}
        ids = []
        for piece in self._pieces(text):
            if isinstance(piece, int):
                ids.append(piece)
                continue
            key = tuple(piece)
            if key not in self._cache:
                part = list(piece)
                while True:
                    best = min(zip(part, part[1:]), key=lambda p: self.merges.get(p, float("inf")), default=None)
                    if best not in self.merges:
                        break
                    part = self._merge(part, best, self.merges[best])
                self._cache[key] = part
            ids.extend(self._cache[key])
        return ids
