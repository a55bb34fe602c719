"""List of pairs, and count for each different one; set() gives me the different ones.

Mistake: the order of a set is not the order of first appearance, so ties are decided by chance.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = set(barrier_ids or ())
        pairs = [(a, b) for a, b in zip(ids, ids[1:]) if a not in barriers and b not in barriers]
        result = {}
        for pair in set(pairs):
            result[pair] = pairs.count(pair)
        return result
