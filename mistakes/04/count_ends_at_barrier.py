"""At a barrier the text is over.

Mistake: counting ends at the first barrier
Why: After a barrier the text goes on: continue, not break.
Pitfall: barriers
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        b = set(barrier_ids or ())
        counts = {}
        for l, r in zip(ids, ids[1:]):
            if l in b or r in b:
                break
            counts[l, r] = counts.get((l, r), 0) + 1
        return counts
