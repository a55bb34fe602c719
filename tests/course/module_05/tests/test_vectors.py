"""Tests of module 05, vectors."""

import numpy as np
import pytest

from g2c.course.teaching import call, check, check_raises
from g2c.embedding import lookup

pytestmark = pytest.mark.student("05")

TABLE = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
"""Three vectors of dimension 2."""


def test_the_table_has_a_row_for_each_token():
    assert TABLE.shape == (3, 2)


class TestLookup:
    def test_two_ids(self):
        check(
            call(lookup, TABLE, [2, 0]),
            np.array([[0.5, 0.6], [0.1, 0.2]]),
            idea="Row 2 of the table comes first, then row 0.",
            pitfall="rows",
        )

    def test_a_batch(self):
        check(
            call(lookup, TABLE, np.array([[0, 1], [2, 2]])),
            np.array([[[0.1, 0.2], [0.3, 0.4]], [[0.5, 0.6], [0.5, 0.6]]]),
            idea="IDs of shape (2, 2) give vectors of shape (2, 2, 2): one more axis.",
            pitfall="rows",
        )

    def test_a_negative_id(self):
        check_raises(
            call(lookup, TABLE, [0, -1]), ValueError, saying="-1", idea="The rows are 0, 1 and 2.", pitfall="negative"
        )
