"""Asserts what holds in every training: a pair is learned once, and a new ID is new."""

from g2c.solutions.bpe import BPETokenizer as AnswerKey


class BPETokenizer(AnswerKey):
    def train_step(self, ids, new_id):
        merges = dict(self.merges)
        assert new_id not in self.vocab and new_id not in merges.values()
        if (step := super().train_step(ids, new_id)) is None:
            return None
        _, pair, count = step
        assert pair not in merges and count > 0
        return step
