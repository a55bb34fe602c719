"""When I have counted the pair I return the counts.

Mistake: the function returns inside the loop
Why: The return statement belongs after the loop: indented one level deeper, it ends the function in the first round.
Pitfall: pair-count
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        for pair in zip(ids, ids[1:]):
            if pair[0] not in barriers and pair[1] not in barriers:
                counts[pair] = counts.get(pair, 0) + 1
            return counts
        return counts
