"""The best pair is the one that makes the list shortest.

Mistake: the pair that can be replaced most often is taken
Why: The count decides: in [1, 1, 1, 1] the pair (1, 1) counts 3, although only two are replaced.
Pitfall: overlap
Caught by: TestTrainStep
"""

from g2c.tokenizer.base import BOUNDARY
from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
        if not counts:
            return None
        pair = max(counts, key=lambda p: len(ids) - len(self._merge(ids, p, new_id)))
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        return self._merge(ids, pair, new_id), pair, counts[pair]
