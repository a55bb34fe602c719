"""_merge replaces the pair in the IDs; then I return them.

Mistake: the IDs come back unmerged
Why: After the pair is chosen, replace it in the IDs and return the shorter list.
Pitfall: overlap
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
        self._merge(ids, pair, new_id)
        return ids, pair, counts[pair]
