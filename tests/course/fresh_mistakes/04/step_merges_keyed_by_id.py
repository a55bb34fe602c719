"""Like vocab: the key is the new ID, the value is what it is made from.

Mistake: merges is filled the wrong way round, ID -> pair in place of pair -> ID.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey
from g2c.tokenizer.base import BOUNDARY


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
        if not counts:
            return None
        pair = max(counts, key=counts.get)
        a, b = pair
        self.merges[new_id] = pair
        self.vocab[new_id] = self.vocab[a] + self.vocab[b]
        return self._merge(ids, pair, new_id), pair, counts[pair]
