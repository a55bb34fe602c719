"""A pair of byte values becomes bytes with bytes(pair).

Mistake: the token's bytes are made from the ID numbers, not from vocab; that only fits while both IDs are below 256 and raises ValueError afterwards.
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
        self.vocab[new_id] = bytes(pair)
        return self._merge(ids, pair, new_id), pair, counts[pair]
