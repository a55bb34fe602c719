"""The new token is made of the pair, so that is what I store.

Mistake: vocab gets the tuple of IDs where the bytes belong.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey
from g2c.tokenizer.base import BOUNDARY


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
        if not counts:
            return None
        best = max(counts, key=counts.get)
        self.merges[best] = new_id
        self.vocab[new_id] = best
        return self._merge(ids, best, new_id), best, counts[best]
