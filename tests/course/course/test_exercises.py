"""The list of exercises: how it is read, which mistakes in it are named, and how an exercise is found.

That it agrees with the exercise files, the answer key and the suites is tested in test_modules.py.
"""

import dataclasses

import pytest

from g2c.common.errors import CourseError
from g2c.course import exercises
from g2c.course.exercises import Milestone, all_exercises, find_exercise, modules, parse

# --- finding an exercise ----------------------------------------------------------------------------------------------


def test_an_exercise_is_found_by_its_name():
    for exercise in all_exercises():
        assert find_exercise(exercise.qualified_name) is exercise
        assert find_exercise(f"{exercise.module_id}:{exercise.qualified_name}") is exercise
        assert find_exercise(exercise.short_name) is exercise


@pytest.mark.parametrize("name", ["", "no_such", "BPETokenizer", "05:encode", "04:", "04:pad_batch"])
def test_an_unknown_exercise_is_refused_with_the_names_that_exist(name):
    with pytest.raises(CourseError, match="The exercises are: .*BPETokenizer.encode"):
        find_exercise(name)


# --- the list itself --------------------------------------------------------------------------------------------------

TWO_MODULES = """
[[module]]
id = "04"
title = "One"
package = "g2c.tokenizer"
file = "one"
suite = "tests/test_one.py"
notebook = "notebooks/04-one.ipynb"
handout = "docs/04-one.md"
given = ["TestGiven"]
together = ["TestAll"]
together_points = 10

[module.milestone]
artifact = "OneTokenizer"
purpose = "train it"
command = "g2c train one"

[[module.exercise]]
name = "encode"
class = "One"
groups = ["TestEncode"]
points = 20
hints = ["first", "second", "third"]

[[module.exercise]]
name = "helper"
groups = ["TestHelper", "TestHelperAgain"]
points = 5
hints = ["first", "second", "third"]

[[module]]
id = "05"
title = "Two"
package = "g2c.tokenizer"
file = "two"
suite = "tests/test_two.py"
notebook = "notebooks/05-two.ipynb"
handout = "docs/05-two.md"
given = []
together = []
together_points = 0

[[module.exercise]]
name = "encode"
class = "Two"
groups = ["TestEncode"]
points = 30
hints = ["first", "second", "third"]
"""


def test_a_list_is_read_as_it_is_written(monkeypatch):
    read = parse(TWO_MODULES)
    assert list(read) == ["04", "05"]
    one = read["04"]
    assert one.public_names == ("One", "helper")
    assert one.groups == ("TestGiven", "TestEncode", "TestHelper", "TestHelperAgain", "TestAll")
    assert one.points == 35
    assert [exercise.qualified_name for exercise in one.exercises] == ["One.encode", "helper"]
    assert one.exercise_of("TestHelperAgain").name == "helper"
    assert one.exercise_of("TestGiven") is None
    assert one.milestone == Milestone("OneTokenizer", "train it", "g2c train one")
    assert read["05"].milestone is None
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.title = "Another"

    monkeypatch.setattr(exercises, "modules", lambda: read)
    assert find_exercise("05:encode") is read["05"].exercises[0]
    assert [exercise.short_name for exercise in all_exercises()] == ["One.encode", "helper", "Two.encode"]
    assert find_exercise("Two.encode") is read["05"].exercises[0]
    with pytest.raises(CourseError, match=r"Several exercises are called 'encode'.*One\.encode and Two\.encode"):
        find_exercise("encode")


@pytest.mark.parametrize(
    "old, new, message",
    [
        ('id = "05"', 'id = "04"', "two modules have the same ID; the IDs are 04, 04"),
        ('title = "One"\n', "", "Module 04: missing 1 required positional argument: 'title'"),
        ('title = "One"', 'titel = "One"\ntitle = "One"', "Module 04: got an unexpected keyword argument 'titel'"),
        ('"first", "second", "third"', '"first", "second"', "Module 04, exercise encode has 2 hints"),
        ('id = "04"', 'id = "04', "not valid TOML"),
        ('command = "g2c train one"\n', "", "Module 04, milestone: missing 1 required positional argument: 'command'"),
    ],
)
def test_a_mistake_in_the_list_is_named(old, new, message):
    assert old in TWO_MODULES
    with pytest.raises(CourseError) as raised:
        parse(TWO_MODULES.replace(old, new, 1))
    assert message in str(raised.value)


def test_pitfalls_are_on_the_page_that_the_module_names_and_else_in_its_handout():
    assert modules()["04"].pitfalls == "docs/04-pitfalls.md"
    assert modules()["04a"].pitfalls == modules()["04a"].handout
    assert parse(TWO_MODULES.replace("handout =", 'pitfalls = "docs/p.md"\nhandout =', 1))["04"].pitfalls == "docs/p.md"
