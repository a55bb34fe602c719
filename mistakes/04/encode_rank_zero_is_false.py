"""ranks.get(pair) or a large number is the rank, and pairs that were not learned come last.

Mistake: the merge learned first is taken for one that was not learned
Why: Its rank is 0, and 0 is false in Python: write ranks.get(pair, large).
Pitfall: merge-order
Caught by: TestEncode
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def encode(self, text):
        ranks = {pair: rank for rank, pair in enumerate(sorted(self.merges, key=self.merges.get))}
        ids = []
        for piece in self._pieces(text):
            if isinstance(piece, int):
                ids.append(piece)
                continue
            part = list(piece)
            while len(part) > 1:
                pair = min(zip(part, part[1:]), key=lambda pair: ranks.get(pair) or 10**9)
                if pair not in ranks:
                    break
                part = self._merge(part, pair, self.merges[pair])
            ids.extend(part)
        return ids
