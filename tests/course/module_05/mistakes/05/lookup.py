"""Wrong solutions of lookup."""

import numpy as np

from g2c.course.diagnosis.bank import mistake
from g2c.embedding.vectors import read_ids


@mistake(
    "a negative ID takes a row from the end",
    why="table[-1] is the last row, without any error. Check the IDs with read_ids first.",
    pitfall="range",
)
def lookup_from_the_end(table, ids):
    """numpy raises an error by itself when there is no such row."""
    ids = np.asarray(ids)
    if (ids >= len(table)).any():
        raise ValueError(f"There is no row {ids.max()}.")
    return table[ids]


@mistake(
    "columns of the table instead of rows",
    why="The first axis of the table is the vocabulary: table[ids].",
    pitfall="rows",
)
def lookup_of_columns(table, ids):
    """An ID is a place in the table, so I put it where the place goes: last."""
    return np.take(table, read_ids(ids, len(table)) % table.shape[1], axis=1)


@mistake(
    "the shape of the batch is lost",
    why="IDs of shape (batch, length) give vectors of shape (batch, length, dimension): index the table with the whole "
    "array.",
    pitfall="shape",
)
def lookup_of_one_long_row(table, ids):
    """A batch is many IDs, and I look them up one by one."""
    return np.array([table[token_id] for token_id in read_ids(ids, len(table)).ravel()])
