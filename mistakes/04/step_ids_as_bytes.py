"""bytes(pair) makes two numbers into two bytes.

Mistake: IDs are taken for bytes
Why: An ID above 255 is not a byte: look up both halves in vocab and join their bytes.
Pitfall: byte-order
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
        self.vocab[new_id] = bytes(pair)
        return self._merge(ids, pair, new_id), pair, counts[pair]
