"""The table of outcomes, by which every screen names mistakes: it is up to date, whole, and the same everywhere."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

from coach.common.paths import REPOSITORY
from coach.diagnosis import bank, make
from coach.diagnosis.outcomes import text_of
from coach.diagnosis.slips import class_of, kind_of
from coach.diagnosis.table import FILE, OutcomeTable
from coach.exercises import BANK, modules
from coach.teaching import call
from g2c.tokenizer import BPETokenizer, train_incremental

for_each_module = pytest.mark.parametrize("module", modules().values(), ids=modules())


@for_each_module
def test_it_has_every_wrong_solution_and_nearly_all_of_them_show_in_it(module):
    table, entries = OutcomeTable(module), bank.entries(module.id)
    assert [(one.name, one.mistake, one.exercise, one.caught_by) for one in table.wrong_solutions] == [
        (one.name, one.mistake, one.exercise, one.caught_by) for one in entries
    ]
    calls = json.loads((BANK / module.id / FILE).read_text(encoding="utf-8"))["calls"]
    shown = {
        one for _, outcomes in calls.values() for outcome, ids in outcomes.items() if outcome for one in ids.split()
    }
    assert len(shown) >= 0.95 * len(entries)


def test_a_module_may_have_more_exercises_than_there_are_digits():
    module = modules()["04"]
    module = replace(module, exercises=module.exercises * 3)
    assert OutcomeTable(module).read("b", {"": ""}).exercises == {module.exercises[11].qualified_name}


def test_a_mistake_in_a_function_that_is_called_is_named_only_if_its_code_shows_it():
    for function, arguments, name in (
        (BPETokenizer().train, ("aa", 257), "04/merge_deletes_in_a_loop"),
        (train_incremental, ({b"aa": 1}, 1), "04e/merge_deletes_the_count_first"),
    ):
        entry = bank.entry(*name.split("/"))
        assert entry.has and not entry.fits(call(function, *arguments).call)


def test_it_fits_into_a_review():
    assert sum((BANK / module_id / FILE).stat().st_size for module_id in modules()) < 1_000_000


@pytest.mark.parametrize("path", ["g2c/tokenizer/base.py", "g2c/common/text.py", "mistakes/04/merge.py"])
def test_its_digest_depends_on_code_but_not_on_comments(path, monkeypatch):
    module, code = modules()["04"], make._code
    before = make.digest_of_sources(module)
    monkeypatch.setattr(make, "_code", lambda file: f"{code(file)}# {file == REPOSITORY / path}")
    assert make.digest_of_sources(module) != before
    assert code(REPOSITORY / path) == code(REPOSITORY / path).replace("# a comment", "")


def test_a_teacher_may_change_points_and_hints():
    """The digest depends on the exercises and on their test groups."""
    module = modules()["04"]
    told, tested = (
        replace(module, together_points=0, exercises=tuple(replace(each, **new) for each in module.exercises))
        for new in ({"points": 20, "hints": (), "lesson": ""}, {"groups": ()})
    )
    assert make.digest_of_sources(told) == make.digest_of_sources(module) != make.digest_of_sources(tested)


@pytest.mark.whole
def test_its_bytes_depend_on_nothing_else(tmp_path):
    """Not on the processor's speed, on random hashes, or on the variables of the process."""
    table = BANK / "04a" / FILE
    before = table.read_bytes()
    try:
        environment = os.environ | {"PYTHONHASHSEED": "7", "G2C_SOLUTIONS": "05"}
        subprocess.run([sys.executable, "-m", "coach.diagnosis", "04a"], cwd=REPOSITORY, env=environment, check=True)
        assert table.read_bytes() == before
    finally:
        table.write_bytes(before)


WORDINGS = [
    (TypeError, "unhashable type: 'list'", "cannot use 'list' as a dict key (unhashable type: 'list')"),
    (ValueError, "7 is not in list", "list.index(x): x not in list"),
    (ValueError, "max() arg is an empty sequence", "max() iterable argument is empty"),
    (ValueError, "math domain error", "expected a positive input, got 0.0"),
    (ValueError, "math domain error", "expected a nonnegative input, got -1.0"),
    (ValueError, "2 is not in deque", "deque.remove(x): x not in deque"),
    (ValueError, "too many values to unpack (expected 2)", "too many values to unpack (expected 2, got 3)"),
    (
        TypeError,
        "argument of type 'NoneType' is not iterable",
        "argument of type 'NoneType' is not a container or iterable",
    ),
    (TypeError, "'cmp' is an invalid keyword argument for sort()", "sort() got an unexpected keyword argument 'cmp'"),
    (
        TypeError,
        "replace expected at least 2 arguments, got 1",
        "replace() takes at least 2 positional arguments (1 given)",
    ),
]
"""What versions of Python say of one error."""


@pytest.mark.parametrize(("kind", "one", "other"), WORDINGS, ids=str)
def test_versions_of_python_word_an_error_differently_and_its_kind_is_the_same(kind, one, other):
    assert kind_of(kind(one)) == kind_of(kind(other)) != kind_of(kind("another message"))


def test_a_class_that_has_another_name_since_python_3_13_is_the_same():
    renamed = type("PatternError", (re.error,), {})("bad escape")
    assert kind_of(renamed) == kind_of(re.error("bad escape"))
    assert class_of(renamed) == "error"


def test_errors_of_one_class_are_told_apart_by_what_they_are_about():
    assert kind_of(KeyError(1)) != kind_of(KeyError(2))
    assert kind_of(KeyError((1, 2))) == kind_of(KeyError(str(KeyError((1, 2)))))
    assert kind_of(TypeError("'int' object is not iterable")) != kind_of(TypeError("unhashable type: 'list'"))


@pytest.mark.parametrize("code", ["None.token", "nobody", "re.nothing"])
def test_an_error_that_grading_makes_anew_from_its_message_is_of_the_same_kind(code):
    with pytest.raises((AttributeError, NameError)) as raised:
        eval(code)
    assert kind_of(raised.value) == kind_of(raised.type(str(raised.value)))
    assert raised.value.name in kind_of(raised.value)


def test_an_array_without_values_has_a_short_text_whatever_its_shape():
    """In an array of this shape with more rows, a list for each row would fill the examiner's memory."""
    assert text_of(np.empty((10**7, 0))) == "array float (10000000, 0) []"
