"""The merge is stored in merges, everything else follows from it.

Mistake: vocab gets no entry for the new ID.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey
from g2c.tokenizer.base import BOUNDARY


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
        if not counts:
            return None
        pair = max(counts, key=counts.get)
        self.merges[pair] = new_id
        return self._merge(ids, pair, new_id), pair, counts[pair]
