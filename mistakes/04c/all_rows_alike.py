"""All rows have the same length.

Mistake: all rows hold the same
Why: Each row belongs to its own sequence.
Pitfall: one-row
Caught by: TestPad
"""

from g2c.solutions.batching import pad_batch as answer_key


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    return answer_key([sequences[0]] * len(sequences) if len(sequences) else [], pad_id, side=side, max_length=max_length, multiple_of=multiple_of, as_lists=as_lists)
