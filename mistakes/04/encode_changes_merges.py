"""A merge that has been applied is done, so I take it off the list.

Mistake: encode changes the tokenizer
Why: Encoding only reads merges and vocab; work on copies.
Pitfall: replaced-dictionaries
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
            piece_ids = list(piece)
            while known := [pair for pair in zip(piece_ids, piece_ids[1:]) if pair in self.merges]:
                pair = min(known, key=self.merges.get)
                piece_ids = self._merge(piece_ids, pair, self.merges.pop(pair))
            ids.extend(piece_ids)
        return ids
