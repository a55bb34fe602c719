"""Wrong solutions of one_hot."""

import numpy as np

from g2c.course.diagnosis.bank import mistake
from g2c.solutions.vectors import one_hot as answer_key


@mistake(
    "rows and columns exchanged",
    why="The array needs a row for each ID and a column for each token of the vocabulary.",
    pitfall="rows",
)
def one_hot_lies_on_its_side(ids, size):
    """Each ID is a column, and its 1 stands in the row of the ID."""
    return answer_key(ids, size).T


@mistake(
    "integers where floats belong", why="The rows are multiplied with vectors: make them float32.", pitfall="types"
)
def one_hot_of_integers(ids, size):
    """Zeros and ones are whole numbers."""
    return answer_key(ids, size).astype(int)


@mistake(
    "a column only for IDs that occur",
    why="The number of columns is the size of the vocabulary, whatever the text.",
    pitfall="rows",
)
def one_hot_of_the_ids_that_occur(ids, size):
    """There are as many columns as different IDs."""
    columns = sorted(set(ids))
    return np.array([[float(column == token_id) for column in columns] for token_id in ids], dtype=np.float32)
