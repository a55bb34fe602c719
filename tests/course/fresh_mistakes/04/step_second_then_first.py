"""Unpacked the pair to have shorter names and typed the sum too fast.

Mistake: the bytes of the second ID come before those of the first in vocab.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey
from g2c.tokenizer.base import BOUNDARY


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids=[*self.special_token_ids, BOUNDARY])
        if not counts:
            return None
        (a, b), count = max(counts.items(), key=lambda kv: kv[1])
        self.merges[(a, b)] = new_id
        self.vocab[new_id] = self.vocab[b] + self.vocab[a]
        return self._merge(ids, (a, b), new_id), (a, b), count
