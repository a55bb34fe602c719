"""Merges get IDs from 256 on, so the next free one is 256 plus the number of merges I have.

Mistake: new_id is ignored for a home-made 256 + len(merges), which lands on the special tokens when there are some.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey
from g2c.tokenizer.base import BOUNDARY


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
        if not counts:
            return None
        pair = max(counts, key=counts.get)
        idx = 256 + len(self.merges)
        self.merges[pair] = idx
        self.vocab[idx] = self.vocab[pair[0]] + self.vocab[pair[1]]
        return self._merge(ids, pair, idx), pair, counts[pair]
