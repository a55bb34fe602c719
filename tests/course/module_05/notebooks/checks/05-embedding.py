"""Checks and hints for the answers in notebook 05. g2c/course/notebook_answers.py says how they are written."""

import numpy as np

from g2c.course.notebook_answers import answer
from g2c.course.teaching import call, check


@answer(
    hints=["What is the shape of lookup(table, ids)?", "The tokens of one text are rows: average along axis 0."],
    wrong=["return table.mean(axis=0)", "return lookup(table, ids).mean(axis=1)"],
)
def mean_vector(function):
    table = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 9.0]])
    outcome = call(function, table, [2, 0]).seen_as(lambda vector: vector.tolist(), "the vector")
    check(outcome, [3.0, 5.5], idea="The average of row 2 and row 0 of the table.")
