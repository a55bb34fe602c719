"""There is a token with these bytes already, so the pair teaches nothing new.

Mistake: a pair is left out because its bytes are a token already
Why: Only the count decides. Two pairs can make the same bytes, such as ab + c and a + bc.
Pitfall: ties
Caught by: TestTrainStep
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey
from g2c.tokenizer.base import BOUNDARY


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
        known = set(self.vocab.values())
        counts = {pair: n for pair, n in counts.items() if self.vocab[pair[0]] + self.vocab[pair[1]] not in known}
        if not counts:
            return None
        pair = max(counts, key=counts.get)
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        return self._merge(ids, pair, new_id), pair, counts[pair]
