"""When I stand on the last pair I am done.

Mistake: the last pair is not replaced
Why: A pair may end at the very last ID: go on while one more ID follows.
Pitfall: overlap
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        return super()._merge(ids[:-1], pair, new_id) + list(ids[-1:])
