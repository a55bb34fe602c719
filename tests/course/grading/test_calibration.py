"""What wrong solutions get: `g2c grade --calibrate`, and solutions that solve nothing."""

import ast

import pytest

from g2c.course import cli
from g2c.course.diagnosis import bank
from g2c.course.exercises import modules
from g2c.grading import calibration
from g2c.grading.constants import constant_files

WRONG = ["04c/multiple_doubled"]


def core_tests(module_id: str) -> set[str]:
    """The groups of a suite that have tests with the marker `core`."""
    tree = ast.parse(modules()[module_id].suite_file.read_text(encoding="utf-8"))
    return {
        owner.name
        for owner in tree.body
        if isinstance(owner, ast.ClassDef)
        for node in owner.body
        if isinstance(node, ast.FunctionDef) and "pytest.mark.core" in map(ast.unparse, node.decorator_list)
    }


@pytest.mark.parametrize("module_id", modules())
def test_every_group_of_an_exercise_has_core_tests(module_id):
    groups = {group for exercise in modules()[module_id].exercises for group in exercise.groups}
    assert groups - core_tests(module_id) == set()


def test_constants_stand_in_every_function_that_students_write():
    ones, empty = constant_files(["04"])
    for content, expected in ((ones["bpe"], ["1"] * 5), (empty["bpe"], ["{}", "[]", "None", "[]", "''"])):
        returned = [node for node in ast.walk(ast.parse(content)) if isinstance(node, ast.Return)]
        assert [ast.unparse(node.value) for node in returned] == expected


@pytest.mark.whole
@pytest.mark.timeout(300)
def test_what_solves_nothing_gets_exactly_0_and_a_wrong_solution_at_most_85():
    found = {wrong.name: wrong for wrong in calibration.calibrate(["04c"], WRONG)}
    assert {name: wrong.share for name, wrong in found.items() if name.split("/")[1] in calibration.NOTHING} == {
        "04c/untouched": 0,
        "04c/return_1": 0,
        "04c/empty": 0,
    }
    assert 0 < found["04c/multiple_doubled"].share <= calibration.MOST
    assert not any(wrong.is_too_much for wrong in found.values())


def test_calibrate_prints_what_gets_too_much(monkeypatch, capsys):
    found = [
        calibration.Calibrated("04/merge_from_the_right", "the pair is replaced from the right", calibration.MOST),
        calibration.Calibrated("04/return_1", "every function returns 1", calibration.MOST / 85),
    ]
    monkeypatch.setattr(calibration, "calibrate", lambda module_ids, jobs: iter(found))
    assert cli.main(["grade", "--calibrate", "--module", "04"]) == 1
    shown = capsys.readouterr().out
    assert " 85.00  04/merge_from_the_right  the pair is replaced from the right" in shown
    assert "Too many points, of 100: 04/return_1." in shown


@pytest.mark.whole
@pytest.mark.timeout(3600)
@pytest.mark.parametrize("module_id", modules())
def test_no_wrong_solution_of_the_bank_gets_more_than_85(module_id):
    found = list(calibration.calibrate([module_id]))
    assert len(found) == len(bank.entries(module_id)) + len(calibration.NOTHING)
    assert [f"{wrong.name}: {float(wrong.share):.4f}" for wrong in found if wrong.is_too_much] == []
