"""max(counts) gives me the pair with the highest count.

Mistake: max of a dict without a key compares the pairs themselves, so the numerically largest pair is merged whatever its count.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey
from g2c.tokenizer.base import BOUNDARY


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        barriers = set(self.special_token_ids)
        barriers.add(BOUNDARY)
        counts = self._get_pair_counts(ids, barrier_ids=barriers)
        if not counts:
            return None
        best = max(counts)
        self.merges[best] = new_id
        self.vocab[new_id] = self.vocab[best[0]] + self.vocab[best[1]]
        return (self._merge(ids, best, new_id), best, counts[best])
