"""A pair that occurs once is not worth a token, compression gains nothing.

Mistake: None is returned when the best count is below 2, although there is still a pair; training ends too early.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey
from g2c.tokenizer.base import BOUNDARY


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
        pair = max(counts, key=counts.get, default=None)
        if pair is None or counts[pair] < 2:
            return None
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        return self._merge(ids, pair, new_id), pair, counts[pair]
