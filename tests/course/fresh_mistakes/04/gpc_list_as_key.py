"""The pair is ids[i:i + 2].

Mistake: a slice of a list is a list, which cannot be a key of a dictionary.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        counts = {}
        for i in range(len(ids) - 1):
            pair = ids[i : i + 2]
            if barrier_ids and (pair[0] in barrier_ids or pair[1] in barrier_ids):
                continue
            counts[pair] = counts.get(pair, 0) + 1
        return counts
