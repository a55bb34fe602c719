"""_get_pair_counts has its barriers as an option; the plain call counts the pairs.

Mistake: a merge across a special token
Why: Count with the special tokens' IDs as barriers: self.special_token_ids.
Pitfall: barriers
Caught by: TestTrainStep
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids)
        if not counts:
            return None
        pair = max(counts, key=counts.get)
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        return self._merge(ids, pair, new_id), pair, counts[pair]
