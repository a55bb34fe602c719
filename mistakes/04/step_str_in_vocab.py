"""Tokens are pieces of text, so I decode them.

Mistake: str where bytes belong
Why: A token may be half a character, which a str cannot hold: vocab holds bytes.
Pitfall: str-for-bytes
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
        self.merges[pair] = new_id
        self.vocab[new_id] = (self.vocab[pair[0]] + self.vocab[pair[1]]).decode(errors="replace")
        return self._merge(ids, pair, new_id), pair, counts[pair]
