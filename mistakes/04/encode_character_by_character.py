"""Text is made of characters, so I encode one after the other.

Mistake: characters are encoded one by one
Why: A piece is one sequence of bytes, and merges reach across characters.
Pitfall: merge-order
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
            for character in piece.decode():
                part = list(character.encode())
                for pair, new_id in self.merges.items():
                    part = self._merge(part, pair, new_id)
                ids += part
        return ids
