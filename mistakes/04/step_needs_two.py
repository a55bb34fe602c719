"""Something that occurs once is no pattern, and there is nothing to gain from merging it.

Mistake: training stops although a pair is left
Why: A pair that was seen once is a pair too.
Pitfall: small-corpus
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
        if counts[pair] < 2:
            return ids, None, 0
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        return self._merge(ids, pair, new_id), pair, counts[pair]
