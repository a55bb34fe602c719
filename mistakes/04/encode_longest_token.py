"""I look for the longest token that the rest of the text begins with.

Mistake: the longest token goes first
Why: BPE does not look for the longest token; it applies the merges in the order in which they were learned.
Pitfall: merge-order
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        by_bytes = {token: token_id for token_id, token in self.vocab.items() if token_id not in self.special_token_ids}
        ids = []
        for piece in self._pieces(text):
            if isinstance(piece, int):
                ids.append(piece)
                continue
            while piece:
                length = max(length for length in range(1, len(piece) + 1) if piece[:length] in by_bytes)
                ids.append(by_bytes[piece[:length]])
                piece = piece[length:]
        return ids
