"""np.full and np.zeros give the rectangle, and numbers are numbers.

Mistake: floats where integers belong
Why: np.zeros and empty lists give float64 by default: pass dtype=np.int64.
Pitfall: types
Caught by: TestPad
"""

from g2c.solutions.batching import pad_batch as answer_key


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    ids, mask = answer_key(sequences, pad_id, side=side, max_length=max_length, multiple_of=multiple_of)
    ids, mask = ids.astype(float), mask.astype(float)
    return (ids.tolist(), mask.tolist()) if as_lists else (ids, mask)
