"""When I have handled the ID I return the list.

Mistake: the function returns inside the loop
Why: The return statement belongs after the loop: indented one level deeper, it ends the function in the first round.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        merged, position = [], 0
        while position < len(ids):
            hit = tuple(ids[position : position + 2]) == pair
            merged.append(new_id if hit else ids[position])
            position += 2 if hit else 1
            return merged
        return merged
