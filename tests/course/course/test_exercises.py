"""The list of exercises: how it is read, which mistakes in it are named, and how an exercise is found.

That it agrees with the exercise files, the answer key and the suites is tested in test_modules.py.
"""

import pytest

from g2c.common.errors import CourseError
from g2c.course.exercises import Milestone, all_exercises, find_exercise, modules, parse
from support.clones import SMALL_COURSE

# --- finding an exercise ----------------------------------------------------------------------------------------------


def test_an_exercise_is_found_by_its_name():
    for exercise in all_exercises():
        assert find_exercise(exercise.qualified_name) is exercise
        assert find_exercise(exercise.short_name) is exercise


@pytest.mark.parametrize("name", ["", "no_such", "BPETokenizer", "04:encode"])
def test_an_unknown_exercise_is_refused_with_the_names_that_exist(name):
    with pytest.raises(CourseError, match="The exercises are: .*BPETokenizer.encode"):
        find_exercise(name)


def test_a_name_that_several_modules_have_needs_the_class():
    with pytest.raises(CourseError, match=r"Several exercises are called 'encode'. Name one of BPET"):
        find_exercise("encode")
    assert find_exercise("CharTokenizer.encode").short_name == "CharTokenizer.encode"
    assert find_exercise("train_step").short_name == "train_step"


# --- the list itself --------------------------------------------------------------------------------------------------

TWO_MODULES = (SMALL_COURSE / "g2c" / "course" / "exercises.toml").read_text(encoding="utf-8")
MILESTONE = """together_points = 40

[module.milestone]
artifact = "Doubler"
purpose = "train it"
command = "g2c train doubler"
"""


def changed(old: str, new: str) -> str:
    assert old in TWO_MODULES
    return TWO_MODULES.replace(old, new, 1)


def test_a_list_is_read_as_it_is_written():
    read = parse(changed("together_points = 40\n", MILESTONE))
    assert list(read) == ["91", "92"]
    one, two = read.values()
    assert one.public_names == ("double", "halve") and two.public_names == ("Tally",)
    assert one.groups == ("TestGiven", "TestDouble", "TestHalve", "TestHalveOdd", "TestBoth")
    assert one.points == two.points == 100
    assert [exercise.qualified_name for exercise in (*one.exercises, *two.exercises)] == [
        "double",
        "halve",
        "Tally.add",
    ]
    assert one.exercise_of("TestHalveOdd").name == "halve" and one.exercise_of("TestGiven") is None
    assert one.milestone == Milestone("Doubler", "train it", "g2c train doubler") and two.milestone is None


def test_pitfalls_are_on_the_page_that_the_module_names_and_else_in_its_handout():
    assert modules()["04"].pitfalls == "docs/04-pitfalls.md"
    assert modules()["04a"].pitfalls == modules()["04a"].handout
