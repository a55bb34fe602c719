"""I keep the best pair so far and take a new one when its count is as good or better.

Mistake: in a tie the pair seen last wins
Why: In a tie the pair seen first wins: compare with > instead of >=.
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
        pair = None
        for candidate in counts:
            if pair is None or counts[candidate] >= counts[pair]:
                pair = candidate
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        return self._merge(ids, pair, new_id), pair, counts[pair]
