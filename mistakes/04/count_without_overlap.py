"""In [1, 1, 1] the middle 1 can only be used once, so I count that pair once.

Mistake: overlapping pairs are skipped while counting
Why: Counting looks at every two neighbors; only merging uses IDs up.
Pitfall: overlap
Caught by: TestPairCounts
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids or ()
        counts = {}
        position = 0
        while position < len(ids) - 1:
            pair = (ids[position], ids[position + 1])
            if pair[0] not in barriers and pair[1] not in barriers:
                counts[pair] = counts.get(pair, 0) + 1
            same_again = pair[0] == pair[1] and ids[position + 2 : position + 3] == [pair[0]]
            position += 2 if same_again else 1
        return counts
