"""I walk through the piece and merge the first pair that is in merges, then start over.

Mistake: the leftmost known pair is merged and not the one with the lowest new ID.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for piece in self._pieces(text):
            if isinstance(piece, int):
                ids.append(piece)
                continue
            part = list(piece)
            changed = True
            while changed:
                changed = False
                for pair in zip(part, part[1:]):
                    if pair in self.merges:
                        part = self._merge(part, pair, self.merges[pair])
                        changed = True
                        break
            ids.extend(part)
        return ids
