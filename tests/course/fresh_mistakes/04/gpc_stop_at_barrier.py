"""When I hit a barrier I leave the loop, I thought break skips the pair.

Mistake: break ends the counting at the first barrier where continue was meant, everything to its right is lost.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        counts = {}
        for pair in zip(ids, ids[1:]):
            if barrier_ids and (pair[0] in barrier_ids or pair[1] in barrier_ids):
                break
            counts[pair] = counts.get(pair, 0) + 1
        return counts
