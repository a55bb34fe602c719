"""Marks that a teacher would sign: what `g2c grade` gives, beside what a teacher gives, for the same submissions."""

import ast
import inspect
import textwrap
import tomllib
from pathlib import Path

import pytest

from g2c.course.diagnosis import bank
from g2c.course.exercises import modules
from g2c.course.source import functions
from g2c.grading.folders import answered_file
from g2c.grading.session import Session
from g2c.grading.submissions import find_submissions

TABLE = tomllib.loads(Path(__file__).with_name("teacher_marks.toml").read_text(encoding="utf-8"))
CLOSE = 10
"""Points that two marks may differ."""


def of_bank(names: list[str]) -> str:
    """The answer key's file with these wrong solutions of the bank."""
    module_id = names[0].partition("/")[0]
    tree = ast.parse(answered_file(modules()[module_id]))
    for name in names:
        entry = bank.entry(module_id, name.partition("/")[2])
        [wrong] = ast.parse(textwrap.dedent(inspect.getsource(entry.written))).body
        function = functions(tree)[entry.exercise.qualified_name]
        function.args, function.body = wrong.args, wrong.body
    return ast.unparse(tree)


def written(case: dict) -> str:
    """The answer key's file with what a table of the data changes in it."""
    module = modules()[case["module"]]
    tree = ast.parse(answered_file(module))
    for exercise in module.exercises:
        if exercise.name in case.get("todo", ()):
            functions(tree)[exercise.qualified_name].body = ast.parse("raise NotImplementedError('TODO')").body
    text = ast.unparse(tree)
    for old, new in case.get("change", {}).items():
        assert text.count(old) == 1, (old, text)
        text = text.replace(old, new)
    return f"{case.get('top', '')}\n{text}\n{case.get('bottom', '')}\n"


def hand_in(folder: Path) -> dict[str, int]:
    """Write the submissions, a folder for each in that of its module. Returns the teacher's marks."""
    cases = {name: {"module": name.partition("/")[0], "mark": mark} for name, mark in TABLE["bank"].items()}
    for name, case in (cases | TABLE["written"]).items():
        code = of_bank(name.split(" + ")) if name in cases else written(case)
        place = folder / case["module"] / name.replace("/", " ")
        place.mkdir(parents=True)
        file = case.get("file", f"{modules()[case['module']].file}.py")
        (place / file).write_bytes(code.encode(case.get("encoding", "utf-8")))
        cases[place.name] = case
    return {name: case["mark"] for name, case in cases.items() if "/" not in name}


@pytest.mark.whole
@pytest.mark.timeout(1200)
def test_nearly_all_marks_are_close_to_a_teacher_s_and_none_is_in_the_wrong_order(wall, tmp_path):
    """Of 39, 35 within 10 points, and no two that a teacher gives more than 10 points apart the other way round."""
    teacher, given = hand_in(tmp_path), {}
    for folder in tmp_path.iterdir():
        with Session([folder.name], jobs=2) as session:
            grades = session.grade_all(find_submissions([folder]).submissions)
            given |= {grade.name: float(grade.score) for grade in grades}
    far = {name: (mark, given[name]) for name, mark in teacher.items() if abs(mark - given[name]) > CLOSE}
    turned = [
        f"{better}, {teacher[better]}: {given[better]:.0f}; {worse}, {teacher[worse]}: {given[worse]:.0f}"
        for better in teacher
        for worse in teacher
        if teacher[better] - teacher[worse] > CLOSE and given[better] < given[worse]
    ]
    assert len(teacher) >= 40 and len(far) <= len(teacher) * 4 // 39, far
    assert turned == []
