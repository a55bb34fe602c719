"""A maximal length or a multiple of 0 makes no sense.

Mistake: arguments in order are refused
Why: 0 is a max_length, and 1 a multiple_of: refuse only what is below.
Pitfall: refusals
Caught by: TestLength
"""

from g2c.solutions.batching import pad_batch as answer_key


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    if max_length is not None and max_length < 1 or multiple_of is not None and multiple_of < 2:
        raise ValueError(f"max_length {max_length} or multiple_of {multiple_of}")
    return answer_key(sequences, pad_id, side=side, max_length=max_length, multiple_of=multiple_of, as_lists=as_lists)
