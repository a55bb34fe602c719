"""The list of exercises: how an exercise is found.

That it agrees with the exercise files, the answer key and the suites is tested in test_modules.py.
"""

import pytest

from coach.common.errors import CourseError
from coach.exercises import all_exercises, find_exercise


def test_an_exercise_is_found_by_its_name():
    for exercise in all_exercises():
        assert find_exercise(exercise.qualified_name) is exercise
        assert find_exercise(exercise.short_name) is exercise


def test_a_name_that_several_modules_have_needs_the_class():
    with pytest.raises(CourseError, match=r"Several exercises are called 'encode'. Name one of them: BPET"):
        find_exercise("encode")
    assert find_exercise("CharTokenizer.encode").short_name == "CharTokenizer.encode"
    assert find_exercise("train_step").short_name == "train_step"
