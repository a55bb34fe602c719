"""BOUNDARY is not a token, so I remove it.

Mistake: BOUNDARY is taken out
Why: BOUNDARY has to stay for the next step; train removes it at the end.
Pitfall: barriers
Caught by: TestTrainStep
"""

from g2c.tokenizer.base import BOUNDARY
from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        step = super().train_step(ids, new_id)
        if step:
            return [i for i in step[0] if i != BOUNDARY], step[1], step[2]
