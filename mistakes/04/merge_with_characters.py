"""Each ID becomes a character, and then str.replace does the work.

Mistake: IDs are made into characters
Why: Not every ID is the number of a character: BOUNDARY is -1. Compare numbers.
Pitfall: str-for-bytes
Caught by: TestTrainStep
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def _merge(self, ids, pair, new_id):
        text = "".join(map(chr, ids)).replace("".join(map(chr, pair)), chr(new_id))
        return list(map(ord, text))
