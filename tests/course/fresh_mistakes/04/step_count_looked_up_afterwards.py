"""I return the count at the end; the counts have to match the ids that I return, so I count again after the merge.

Mistake: the count is taken from the merged IDs, where the pair no longer stands, so it is 0 and not what was counted before.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey
from g2c.tokenizer.base import BOUNDARY


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        barriers = self.special_token_ids | {BOUNDARY}
        counts = self._get_pair_counts(ids, barrier_ids=barriers)
        if not counts:
            return None
        pair = max(counts, key=counts.get)
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        ids = self._merge(ids, pair, new_id)
        counts = self._get_pair_counts(ids, barrier_ids=barriers)
        return ids, pair, counts.get(pair, 0)
