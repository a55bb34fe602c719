"""Each ID is a column, and its 1 stands in the row of the ID.

Mistake: rows and columns exchanged
Why: The array needs a row for each ID and a column for each token of the vocabulary.
Pitfall: rows
Caught by: TestOneHot
"""

from g2c.solutions.vectors import one_hot as answer_key


def one_hot(ids, size):
    return answer_key(ids, size).T
