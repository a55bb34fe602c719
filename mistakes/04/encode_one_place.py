"""For each merge, in the order learned, I look for its pair and replace it.

Mistake: a pair is replaced at one place only
Why: Replace it everywhere in the piece, or look for it again.
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
            piece_ids = list(piece)
            for pair, new_id in self.merges.items():
                for place in range(len(piece_ids) - 1):
                    if (piece_ids[place], piece_ids[place + 1]) == pair:
                        piece_ids[place : place + 2] = [new_id]
                        break
            ids.extend(piece_ids)
        return ids
