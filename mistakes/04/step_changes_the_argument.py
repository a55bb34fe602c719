"""The corpus is shorter after the merge, so I put the new IDs into the list.

Mistake: the list that was passed is changed
Why: It belongs to the caller. Build a new list and return that.
Pitfall: mutated-argument
Caught by: TestTrainStep
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
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        ids[:] = self._merge(ids, pair, new_id)
        return ids, pair, counts[pair]
