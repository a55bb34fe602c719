"""I double the length until it is long enough.

Mistake: the length is doubled until it is long enough
Why: Every multiple will do: 3, 6, 9 and not 3, 6, 12.
Pitfall: multiple-of
Caught by: TestLength
"""

from g2c.solutions.batching import pad_batch as answer_key


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    ids, _ = answer_key(sequences, pad_id, side=side, max_length=max_length, as_lists=True)
    length = multiple_of
    while multiple_of and ids and length < len(ids[0]):
        length *= 2
    return answer_key(sequences, pad_id, side=side, max_length=max_length, multiple_of=length, as_lists=as_lists)
