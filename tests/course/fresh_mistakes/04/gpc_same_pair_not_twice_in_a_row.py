"""The pair that I have just counted must not use the same ID again.

Mistake: in [1, 1, 1] the pair (1, 1) is counted once.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        counts = {}
        blocked = set() if barrier_ids is None else set(barrier_ids)
        last = None
        for i in range(len(ids) - 1):
            pair = (ids[i], ids[i + 1])
            if pair[0] in blocked or pair[1] in blocked:
                last = None
                continue
            if pair == last:
                last = None
                continue
            counts[pair] = counts.get(pair, 0) + 1
            last = pair
        return counts
