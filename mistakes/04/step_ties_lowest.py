"""In a tie I take the smallest pair, so that the result does not depend on the text.

Mistake: in a tie the pair with the lowest IDs wins
Why: In a tie the pair seen first wins, whatever its IDs.
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
        pair = min(counts, key=lambda candidate: (-counts[candidate], candidate))
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        return self._merge(ids, pair, new_id), pair, counts[pair]
