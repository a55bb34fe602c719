"""Of equally frequent pairs the one with the longer token saves more.

Mistake: in a tie the pair with the most bytes wins
Why: In a tie the pair seen first wins, whatever its bytes.
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
        pair = max(counts, key=lambda pair: (counts[pair], sum(len(self.vocab[token_id]) for token_id in pair)))
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        return self._merge(ids, pair, new_id), pair, counts[pair]
