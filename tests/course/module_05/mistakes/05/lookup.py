"""Wrong solutions of lookup."""

import numpy as np

from g2c.course.diagnosis.bank import mistake
from g2c.solutions.vectors import lookup as answer_key


@mistake(
    "a negative ID takes a row from the end",
    why="table[-1] is the last row, without any error. Check the IDs first.",
    pitfall="negative",
)
def lookup_from_the_end(table, ids):
    """numpy raises an error by itself when there is no such row."""
    return table[np.asarray(ids)]


@mistake(
    "columns of the table instead of rows",
    why="The first axis of the table is the vocabulary: table[ids].",
    pitfall="rows",
)
def lookup_of_columns(table, ids):
    """An ID is a place in the table, so I put it where the place goes: last."""
    return np.take(table, np.asarray(ids) % table.shape[1], axis=1)


@mistake(
    "the shape of the batch is lost",
    why="IDs of shape (batch, length) give vectors of shape (batch, length, dimension): index with the whole array.",
    pitfall="rows",
)
def lookup_of_one_long_row(table, ids):
    """A batch is many IDs, and I look them up one by one."""
    return answer_key(table, np.asarray(ids).ravel())
