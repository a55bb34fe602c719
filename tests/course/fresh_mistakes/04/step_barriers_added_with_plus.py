"""The barriers are the special IDs plus BOUNDARY.

Mistake: a set and a number cannot be added; a set of one element and | are needed.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey
from g2c.tokenizer.base import BOUNDARY


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids + BOUNDARY)
        if not counts:
            return None
        pair = max(counts, key=counts.get)
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        return self._merge(ids, pair, new_id), pair, counts[pair]
