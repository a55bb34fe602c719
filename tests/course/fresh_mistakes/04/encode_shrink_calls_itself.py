"""After each merge the shorter piece is encoded in the same way.

Mistake: one level of recursion for each merge: a long piece raises a RecursionError.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        def shrink(part):
            known = [p for p in zip(part, part[1:]) if p in self.merges]
            if not known:
                return part
            pair = min(known, key=self.merges.get)
            return shrink(self._merge(part, pair, self.merges[pair]))

        ids = []
        for piece in self._pieces(text):
            ids += [piece] if isinstance(piece, int) else shrink(list(piece))
        return ids
