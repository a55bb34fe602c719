"""The limit has to be a multiple too.

Mistake: max_length is rounded up
Why: It cuts sequences as it is; the length of the batch is rounded up after that.
Pitfall: truncation
Caught by: TestLength
"""

from g2c.solutions.batching import pad_batch as answer_key


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    if max_length is not None and multiple_of:
        max_length = -(-max_length // multiple_of) * multiple_of
    return answer_key(sequences, pad_id, side=side, max_length=max_length, multiple_of=multiple_of, as_lists=as_lists)
