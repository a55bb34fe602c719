"""Zeros and ones are whole numbers.

Mistake: integers where floats belong
Why: The rows are multiplied with vectors: make them float32.
Pitfall: types
Caught by: TestOneHot
"""

from g2c.solutions.vectors import one_hot as answer_key


def one_hot(ids, size):
    return answer_key(ids, size).astype(int)
