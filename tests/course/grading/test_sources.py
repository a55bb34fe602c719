"""Source that is made to cost time or memory: the student's process reads it, under limits.

That the class goes on is part of test_session.py.
"""

import json
import sys

import pytest

from g2c.course.exercises import modules
from g2c.grading import folders
from g2c.grading.notebook_answers import notebook_path
from g2c.grading.remote import Student
from g2c.grading.sources import TOO_COSTLY, read_exercise_file

MODULE = modules()["04"]
FIELDS = b'f"' + b"{a}" * 300_000 + b'"'
"""An f-string for which Python 3.11 needs minutes, and 3.13 a quarter of a minute."""
SLOW_PARSER = pytest.mark.skipif(
    sys.version_info >= (3, 14), reason="Python 3.14 reads any file of 1 MB within 2 seconds; run this with 3.13."
)
UNUSUAL = {
    "brackets": b"(" * 200_000,
    "a NUL": b"x = 1\0",
    "a sum of half a million": b"x = " + b"+".join([b"1"] * 500_000),
    "an integer of a million digits": b"x = " + b"9" * 1_000_000,
    "names of no characters": b'x = "' + rb"\N{x}" * 190_000 + b'"',
    "quotes that never end": b'"""' + b"a\n" * 490_000,
    "an unknown codec": b"# coding: nothing\nx = 1\n",
    "UTF-16": "x = 1".encode("utf-16"),
}
"""Files that are read quickly, whether or not they are Python."""
COSTLY = {
    "a list": b"x = [" + b"1," * 500_000 + b"]",
    "functions": b"def f(): pass\n" * 70_000,
    "Punycode": b"# coding: punycode\n" + b"a" * 500_000 + b"-" + b"a" * 400_000 + b"\n",
    "nested functions": b"x = " + b"lambda: " * 120_000 + b"1",
}
"""Files that depend on the machine and on the version of Python."""
NOTEBOOKS = {
    "lists": b'{"cells": [' + b"[]," * 5_000_000 + b"[]]}",
    "brackets": b"[" * 16_000_000,
    "a number": b'{"cells": ' + b"1" * 16_000_000 + b"}",
}


@pytest.fixture(scope="module")
def read(wall, tmp_path_factory):
    """A function that returns what the student's process says of an exercise file, or of a notebook."""
    folder = tmp_path_factory.mktemp("sources")
    original = folders.copy_for_students(folder / "students")

    def answer(content: bytes, *, file: str = MODULE.exercise_path) -> dict:
        place = folder / f"{len(list(folder.iterdir()))}"
        place.mkdir()
        with Student(folders.copy_for_student(place, original, {file: content}, [])) as student:
            return student.read(file)

    return answer


def test_an_unusual_file_is_read(read):
    assert {name: read(content).get("problem") for name, content in UNUSUAL.items()} == dict.fromkeys(UNUSUAL)
    key = MODULE.key_file.read_bytes()
    found = read(key)
    assert json.loads(json.dumps(found)) == json.loads(json.dumps(read_exercise_file(key) | {"printed": [0, ""]}))
    assert "BPETokenizer.encode" in found["functions"] and found["lines"]["BPETokenizer.encode"]


@SLOW_PARSER
def test_a_file_that_takes_too_long_is_given_up(read):
    assert read(FIELDS) == {"problem": TOO_COSTLY}


@pytest.mark.whole
def test_a_costly_file_is_read_within_the_limits_or_given_up(read):
    for name, content in COSTLY.items():
        assert read(content).get("problem", TOO_COSTLY) == TOO_COSTLY, name
    for name, content in NOTEBOOKS.items():
        problem = read(content, file=notebook_path(MODULE))["problem"]
        assert problem in (TOO_COSTLY, "it is not JSON", "one of its cells has no source"), name
