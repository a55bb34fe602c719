"""Sort by count, the best one is at the end.

Mistake: the sort is stable, so the last of the sorted list is the pair seen last among those with equal counts, not the first.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey
from g2c.tokenizer.base import BOUNDARY


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids=set(self.special_token_ids) | {BOUNDARY})
        if len(counts) == 0:
            return None
        ranking = sorted(counts.items(), key=lambda item: item[1])
        pair, count = ranking[-1]
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        return self._merge(ids, pair, new_id), pair, count
