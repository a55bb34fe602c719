"""After one merge I check whether another pair occurs more than once.

Mistake: more than one merge is learned
Why: train_step learns one merge; train calls it again and again.
Pitfall: merge-order
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
        merged = self._merge(ids, pair, new_id)
        again = self._get_pair_counts(merged, barrier_ids=self.special_token_ids | {BOUNDARY})
        if again and max(again.values()) > 1:
            self.train_step(merged, new_id + 1)
        return merged, pair, counts[pair]
