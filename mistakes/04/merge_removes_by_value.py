"""I put new_id in the place of the left half and remove the right half from the list.

Mistake: another occurrence of the right half is removed
Why: list.remove(value) removes the first ID with this value, wherever it is: use del ids[position].
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        ids = list(ids)
        position = 0
        while position < len(ids) - 1:
            if (ids[position], ids[position + 1]) == pair:
                ids[position] = new_id
                ids.remove(pair[1])
            position += 1
        return ids
