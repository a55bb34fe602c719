"""The pair is what a step learns, so it comes first.

Mistake: the pair comes before the IDs
Why: Return the new IDs, the pair and its count, in this order.
Pitfall: pair-count
Caught by: TestTrainStep
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
        self.vocab[new_id] = self.vocab[best[0]] + self.vocab[best[1]]
        return best, self._merge(ids, best, new_id), counts[best]
