"""Special tokens are something other than text, so I collect them first.

Mistake: special tokens are not where they stood
Why: Append each ID in its turn, in the order of the pieces.
Pitfall: special-tokens
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        pieces = list(self._pieces(text))
        ids = [piece for piece in pieces if isinstance(piece, int)]
        for piece in pieces:
            if not isinstance(piece, int):
                ids += super().encode(piece.decode())
        return ids
