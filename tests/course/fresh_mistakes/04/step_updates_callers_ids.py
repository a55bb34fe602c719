"""The corpus has to be replaced everywhere, so I write the merged IDs back.

Mistake: ids[:] = changes the list of the caller.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey
from g2c.tokenizer.base import BOUNDARY


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
        if not counts:
            return None
        pair = max(counts, key=counts.get)
        count = counts[pair]
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        ids[:] = self._merge(ids, pair, new_id)
        return ids, pair, count
