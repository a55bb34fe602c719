"""ids.index tells me where the ID stands, and the neighbor is at the next place.

Mistake: the neighbor is looked up with index
Why: ids.index gives the first place of a value, every time: loop over positions, or pair ids with ids[1:].
Pitfall: pair-count
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        for token_id in ids[:-1]:
            pair = token_id, ids[ids.index(token_id) + 1]
            if pair[0] not in barriers and pair[1] not in barriers:
                counts[pair] = counts.get(pair, 0) + 1
        return counts
