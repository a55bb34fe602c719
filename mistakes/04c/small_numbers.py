"""No token ID comes near two billion, so 32 bits are enough.

Mistake: integers of another size
Why: Pass dtype=np.int64 for both arrays.
Pitfall: types
Caught by: TestPad
"""

from g2c.solutions.batching import pad_batch as answer_key


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    ids, mask = answer_key(sequences, pad_id, side=side, max_length=max_length, multiple_of=multiple_of)
    return (ids.tolist(), mask.tolist()) if as_lists else (ids.astype("int32"), mask.astype("int32"))
