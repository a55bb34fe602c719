"""Two tokens with the same bytes would be a waste, so I leave such pairs out.

Mistake: pairs are left out whose joined bytes are a token already.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey
from g2c.tokenizer.base import BOUNDARY


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        counts = self._get_pair_counts(ids, barrier_ids=self.special_token_ids | {BOUNDARY})
        if not counts:
            return None
        # max returns the first of several maxima, and the counts are in order of first appearance.
        known = set(self.vocab.values())
        fresh = {p: n for p, n in counts.items() if self.vocab[p[0]] + self.vocab[p[1]] not in known}
        if not fresh:
            return None
        counts = fresh
        pair = max(counts, key=counts.get)
        self.merges[pair] = new_id
        self.vocab[new_id] = self.vocab[pair[0]] + self.vocab[pair[1]]
        return self._merge(ids, pair, new_id), pair, counts[pair]
