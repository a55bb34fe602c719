"""If the side is not left, it is right.

Mistake: an argument that makes no sense is not refused
Why: Check side, max_length and multiple_of before anything else, and raise a ValueError.
Pitfall: refusals
Caught by: TestRefusals
"""

from g2c.solutions.batching import pad_batch as answer_key


def pad_batch(sequences, pad_id, *, side="right", **options):
    return answer_key(sequences, pad_id, side="left" if side == "left" else "right", **options)
