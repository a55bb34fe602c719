"""No barriers given: then the special tokens are the barriers, since nothing may merge with them.

Mistake: None is taken for the special tokens
Why: None means no barriers; train_step names them itself.
Pitfall: barriers
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        if barrier_ids is None:
            barrier_ids = self.special_token_ids
        return super()._get_pair_counts(ids, barrier_ids=barrier_ids)
