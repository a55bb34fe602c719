"""A bytearray holds bytes as well.

Mistake: something else where bytes belong
Why: vocab holds the bytes that the token stands for: those of both halves, joined.
Pitfall: str-for-bytes
Caught by: TestTrainStep
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        step = super().train_step(ids, new_id)
        if step:
            self.vocab[new_id] = bytearray(self.vocab[new_id])
        return step
