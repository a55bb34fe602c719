"""I add the new ID where the pair was found.

Mistake: the pair stays beside the new ID
Why: The new ID takes the place of the pair: neither half is copied.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        merged = []
        for position, token_id in enumerate(ids):
            merged.append(token_id)
            if position and (ids[position - 1], token_id) == pair:
                merged.append(new_id)
        return merged
