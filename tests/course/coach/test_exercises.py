"""The list of exercises: how an exercise is found.

That it agrees with the exercise files, the answer key and the suites is tested in test_modules.py.
"""

import pytest

from coach.common.errors import CourseError
from coach.exercises import all_exercises, find_exercise


def test_an_exercise_is_found_by_its_name_which_needs_the_class_if_several_modules_have_it():
    for exercise in all_exercises():
        assert find_exercise(exercise.qualified_name) is find_exercise(exercise.short_name) is exercise
    with pytest.raises(CourseError, match=r"Several exercises are called 'encode'. Name one of them: BPET"):
        find_exercise("encode")
    assert find_exercise("train_step").short_name == "train_step"
