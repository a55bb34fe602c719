"""The rows are too long: delete what is too much.

Mistake: the list that was passed is changed
Why: del changes the list that was passed: cut a copy.
Pitfall: mutated-argument
Caught by: TestPad
"""

from g2c.solutions.batching import pad_batch as answer_key


def pad_batch(sequences, pad_id, *, max_length=None, **options):
    if max_length is not None and max_length >= 0:
        for sequence in sequences:
            if isinstance(sequence, list):
                del sequence[max_length:]
    return answer_key(sequences, pad_id, max_length=max_length, **options)
