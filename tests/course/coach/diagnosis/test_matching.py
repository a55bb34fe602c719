"""Which of several wrong solutions explains a call: what rules one out, and which comes first."""

import pytest

from coach.diagnosis.matching import Match, _disagreements
from coach.diagnosis.outcomes import Outcome
from coach.diagnosis.table import ANY, ONE_OF_FEW, Outcomes, table_of
from coach.exercises import modules

WRONG = table_of(modules()["04a"]).wrong_solutions[0]


@pytest.mark.parametrize(("left", "disagreements"), [(ANY, None), (ONE_OF_FEW, 0), ("right", 0), ("other", None)])
def test_a_solution_that_leaves_anything_is_ruled_out_where_the_student_was_right(left, disagreements):
    """By luck, code is right if it has one of few outcomes, but hardly if it has any."""
    right = Outcome("right", frozenset())
    known = Outcomes(frozenset({WRONG.exercise.qualified_name}), right, {WRONG.id: Outcome(left, frozenset())})
    assert _disagreements(WRONG, [(known, "right")]) == disagreements


def test_a_solution_with_the_same_outcome_comes_before_one_that_may_have_any():
    exact = Match(WRONG, 0, is_random=False, is_any=False, is_partial=True, is_indirect=True)
    assert exact.order < Match(WRONG, 0, is_random=True, is_any=True, is_partial=False, is_indirect=False).order
