"""When the pair is not there I can return the list as it is.

Mistake: the very list that was passed comes back
Why: Whoever changes the result would change the argument as well: build a new list.
Pitfall: mutated-argument
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        if pair not in zip(ids, ids[1:]):
            return ids
        return super()._merge(ids, pair, new_id)
