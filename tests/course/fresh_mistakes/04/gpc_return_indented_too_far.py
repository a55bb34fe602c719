"""I had it right and then re-indented the file in the editor.

Mistake: return stands inside the for loop, so only the first counted pair comes back, and without any pair the result is None.
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _get_pair_counts(self, ids, *, barrier_ids=None):
        barriers = barrier_ids if barrier_ids is not None else frozenset()
        counts = {}
        for first, second in zip(ids, ids[1:]):
            if first in barriers or second in barriers:
                continue
            counts[(first, second)] = counts.get((first, second), 0) + 1
            return counts
