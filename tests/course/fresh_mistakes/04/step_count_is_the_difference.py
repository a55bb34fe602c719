"""Each merge makes the list one shorter, so the count is the difference of the lengths.

Mistake: overlapping occurrences are counted but only one of them is merged, so the difference is too small.
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
        shorter = self._merge(ids, pair, new_id)
        return shorter, pair, len(ids) - len(shorter)
