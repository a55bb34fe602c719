"""Long sequences first: that makes for good batches.

Mistake: the rows are not the sequences in their order
Why: Row 0 is sequence 0; nothing is sorted or left out.
Pitfall: one-row
Caught by: TestPad
"""

from g2c.solutions.batching import pad_batch as answer_key


def pad_batch(sequences, pad_id, *, side="right", max_length=None, multiple_of=None, as_lists=False):
    return answer_key(sorted(sequences, key=len, reverse=True), pad_id, side=side, max_length=max_length, multiple_of=multiple_of, as_lists=as_lists)
