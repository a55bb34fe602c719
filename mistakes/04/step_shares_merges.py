"""I keep the merges on the class, where every method finds them.

Mistake: something from an earlier call is still there
Why: Store nothing on the class or in a global variable: self.merges belongs to one tokenizer.
Pitfall: replaced-dictionaries
Caught by: TestTrainStep
"""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        step = super().train_step(ids, new_id)
        type(self).all_merges = getattr(type(self), "all_merges", {})
        if step:
            type(self).all_merges[step[1]] = new_id
            self.merges = type(self).all_merges
        return step
