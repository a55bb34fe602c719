"""Count the pairs, take the best, done.

Mistake: no barriers are given, so pairs reach across BOUNDARY and special tokens.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids)
        if not counts:
            return None
        best = max(counts, key=counts.get)
        self.merges[best] = new_id
        self.vocab[new_id] = self.vocab.get(best[0], b"") + self.vocab.get(best[1], b"")
        return self._merge(ids, best, new_id), best, counts[best]
