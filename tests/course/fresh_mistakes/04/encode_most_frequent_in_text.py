"""BPE always merges the most frequent pair, so I do the same here as in training, but only with pairs that are in merges.

Mistake: the pair is chosen by how often it stands in this piece, not by when it was learned.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        ids = []
        for piece in self._pieces(text):
            if isinstance(piece, int):
                ids.append(piece)
                continue
            current = list(piece)
            while True:
                counts = self._get_pair_counts(current)
                counts = {pair: n for pair, n in counts.items() if pair in self.merges}
                if not counts:
                    break
                pair = max(counts, key=counts.get)
                current = self._merge(current, pair, self.merges[pair])
            ids.extend(current)
        return ids
