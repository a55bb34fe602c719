"""The highest ID is the longest token, so choosing it first compresses best.

Mistake: the pair with the highest new ID is merged first, the one learned last in place of the one learned first.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        result = []
        for piece in self._pieces(text):
            if isinstance(piece, int):
                result.append(piece)
            else:
                tokens = list(piece)
                while len(tokens) > 1:
                    candidates = [p for p in zip(tokens, tokens[1:]) if p in self.merges]
                    if not candidates:
                        break
                    best = max(candidates, key=lambda p: self.merges[p])
                    tokens = self._merge(tokens, best, self.merges[best])
                result += tokens
        return result
