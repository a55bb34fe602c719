"""bytes.replace does just this, from left to right.

Mistake: IDs are made into bytes
Why: An ID may exceed 255 and is then no byte: work on a list of integers.
Pitfall: str-for-bytes
Caught by: TestMerge
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        data = bytes(ids).replace(bytes(pair), bytes([new_id]))
        return list(data)
