"""Checks and hints for the answers in notebook 05. g2c/course/notebook_answers.py says how they are written."""

import numpy as np

from g2c.course.notebook_answers import answer
from g2c.course.teaching import call, check


@answer(
    hints=[
        "one_hot(ids, size) has a row for each ID. Which size fits the table?",
        "The rows are as long as the table is high: len(table). @ multiplies matrices.",
    ],
    wrong=["return table @ one_hot(ids, len(table))", "return one_hot(ids, len(table))", "return table"],
)
def product(function):
    table = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
    outcome = call(function, table, [2, 0])
    expected = [[5.0, 6.0], [1.0, 2.0]]
    check(outcome.seen_as(lambda rows: rows.tolist(), "the rows"), expected, idea="The table's rows 2 and 0.")
