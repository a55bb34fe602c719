"""With the new ID as a key too, I can look up what it was made of.

Mistake: merges holds the reverse entries too
Why: Every key of merges is a pair; what an ID stands for is in vocab.
Pitfall: replaced-dictionaries
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
        self.merges[new_id] = pair
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        return self._merge(ids, pair, new_id), pair, counts[pair]
