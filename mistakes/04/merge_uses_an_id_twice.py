"""I find all places where the pair stands, put new_id there, and leave out every ID that was a right half.

Mistake: an ID is used in two pairs
Why: An ID that went into one pair is used up and cannot be in the next.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        places = {i for i in range(len(ids) - 1) if (ids[i], ids[i + 1]) == pair}
        merged = []
        for i, token_id in enumerate(ids):
            if i in places:
                merged.append(new_id)
            elif i - 1 not in places:
                merged.append(token_id)
        return merged
