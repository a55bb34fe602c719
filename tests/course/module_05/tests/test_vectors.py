"""Tests of module 05, vectors. Work through them from top to bottom:

1. TestReadIds        passes already: the part that is given
2. TestOneHot         one row for each ID
3. TestLookup         rows of the table
4. TestSameVectors    both ways lead to the same vectors
"""

import numpy as np
import pytest

from g2c.course.teaching import call, check, check_raises
from g2c.embedding import lookup, one_hot
from g2c.embedding.vectors import read_ids

pytestmark = pytest.mark.student("05")

TABLE = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 0.6]])
"""Three vectors of dimension 2."""


class TestReadIds:
    def test_a_list_becomes_an_array_of_int64(self):
        ids = read_ids([2, 0], 3)
        assert ids.tolist() == [2, 0] and ids.dtype == np.int64

    @pytest.mark.parametrize("wrong", [-1, 3])
    def test_an_id_outside_the_vocabulary_is_named(self, wrong):
        with pytest.raises(ValueError, match=f"ID {wrong} "):
            read_ids([0, wrong], 3)


class TestOneHot:
    def test_two_ids(self):
        check(
            call(one_hot, [2, 0], 4),
            np.array([[0, 0, 1, 0], [1, 0, 0, 0]], dtype=np.float32),
            idea="Row 0 has its 1 in column 2, row 1 has it in column 0.",
            pitfall="rows",
        )

    def test_an_id_twice(self):
        check(
            call(one_hot, [1, 1], 2),
            np.array([[0, 1], [0, 1]], dtype=np.float32),
            idea="Every ID has its own row, also the second time.",
            pitfall="rows",
        )

    def test_no_ids(self):
        check(
            call(one_hot, [], 3),
            np.zeros((0, 3), dtype=np.float32),
            idea="No IDs are no rows, and there are still three columns.",
            pitfall="rows",
        )

    def test_the_numbers_are_float32(self):
        outcome = call(one_hot, [0], 2).seen_as(lambda rows: str(rows.dtype), "the dtype")
        check(outcome, "float32", idea="A model computes with float32.", pitfall="types")

    def test_an_id_outside_the_vocabulary(self):
        check_raises(
            call(one_hot, [0, 3], 3), ValueError, saying="3", idea="With 3 tokens the last ID is 2.", pitfall="range"
        )


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
            pitfall="shape",
        )

    @pytest.mark.parametrize("wrong", [-1, 3])
    def test_an_id_outside_the_table(self, wrong):
        check_raises(
            call(lookup, TABLE, [0, wrong]),
            ValueError,
            saying=str(wrong),
            idea="The table has the rows 0, 1 and 2.",
            pitfall="range",
        )


class TestSameVectors:
    def test_one_hot_times_table_is_the_lookup(self):
        ids = [1, 2, 1]
        check(
            call(lookup, TABLE, ids),
            call(one_hot, ids, 3).value @ TABLE,
            idea="A row of zeros with a single 1, times the table, is a row of the table.",
            pitfall="rows",
        )
