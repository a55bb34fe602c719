"""When all rows have the same length nothing needs to be done.

Mistake: a list that was passed is part of the result
Why: Rows without padding were not copied: always create new lists.
Pitfall: mutated-argument
Caught by: TestPad
"""

from g2c.solutions.batching import pad_batch as answer_key


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    if as_lists and len({len(row) for row in sequences}) == 1 and max_length is None and multiple_of is None:
        return list(sequences), [[1] * len(row) for row in sequences]
    return answer_key(
        sequences, pad_id, side=side, max_length=max_length, multiple_of=multiple_of, as_lists=as_lists
    )
