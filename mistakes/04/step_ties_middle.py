"""Among the most frequent pairs I take any.

Mistake: a tie is decided in another way
Why: Among equally frequent pairs the one seen first wins.
Pitfall: ties
Caught by: TestTrainStep
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey
from g2c.tokenizer.base import BOUNDARY


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
        if not counts:
            return None
        best = max(counts.values())
        equal = [pair for pair in counts if counts[pair] == best]
        pair = equal[len(equal) // 2]
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        return self._merge(ids, pair, new_id), pair, best
