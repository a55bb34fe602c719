"""The count that I return is the one that is left.

Mistake: the count is not the pair's
Why: It is how often the pair occurred before merging.
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
        pair = max(counts, key=counts.get)
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        merged = self._merge(ids, pair, new_id)
        return merged, pair, self._get_pair_counts(merged).get(pair, 0)
