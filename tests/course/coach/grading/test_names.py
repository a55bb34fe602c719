"""The grader names a mistake as the terminal does: reports, class.html and `pytest` read one table."""

import ast
import inspect

import pytest

from coach.diagnosis import bank
from coach.diagnosis.general import LEFT_OVER
from coach.exercises import modules
from coach.grading.session import Session
from coach.grading.submissions import Submission
from coach.source import functions, key_code
from support.exercise_files import all_but, solved
from support.submissions import runner

EVERY = {"04": 17, "04a": 10, "04b": 12, "04f": 11, "05": 19}
"""Module -> every which of its wrong solutions is compared: some 50 in all."""


def handed_in(entry) -> str | None:
    """The exercise file with this wrong solution. At its end is what the bank's file imports and defines, and the key's
    code for the other exercises. None if it needs names of the bank."""
    module = entry.exercise.module
    [wrong] = ast.parse(inspect.getsource(entry.written)).body
    if "AnswerKey" in ast.unparse(wrong) or set(entry.function.__globals__) & {"HELPERS"}:
        return None
    tree, bank_file = (ast.parse(file.read_text(encoding="utf-8")) for file in (module.exercise_file, entry.path))
    function = functions(tree)[entry.exercise.qualified_name]
    function.args, function.body = wrong.args, wrong.body
    given = (module.package, module.import_name, "coach.diagnosis.bank")
    tree.body += [
        node
        for node in bank_file.body
        if isinstance(node, ast.Import)
        or (isinstance(node, ast.ImportFrom) and node.module not in given and "solutions" not in node.module)
        # A function that wrong solutions of the bank's file call.
        or (isinstance(node, ast.FunctionDef) and not node.decorator_list)
    ]
    others = [each for each in module.exercises if each is not entry.exercise]
    return ast.unparse(tree) + key_code(module, others)


def test_a_file_that_cannot_be_imported_has_no_mistake_in_its_exercises():
    with Session(["04"], trust=True) as session:
        [ada] = session.grade_all([Submission("ada", {"bpe": f"# coding: ascii\n{solved()}# ä\n".encode()})])
    assert "cannot be imported: UnicodeDecodeError" in " ".join(ada.notes)
    assert ada.mistakes == [] and "Recognized" not in " ".join(ada.notes)


def test_a_mistake_has_the_name_and_the_advice_that_fit_the_code():
    """Several wrong solutions do the same here, and several have one name."""
    counting = "{}\n    counts[pair] = counts.get(pair, 0) + 1\nreturn counts"
    pairs, barriers = "for pair in zip(ids, ids[1:]):", "    if {*pair} & {*(barrier_ids or ())}:\n        continue"
    loops = {
        "the barriers are ignored. A pair that": f"counts = {{}}\n{pairs}",
        "n pairs instead of n - 1. The last ID has no neighbor after it, so the loop": (
            f"counts = {{}}\nfor i in range(len(ids)):\n    pair = ids[i], ids[i + 1]\n{barriers}"
        ),
        LEFT_OVER.name: f"{pairs}\n{barriers}",
    }
    files = {note: all_but("_get_pair_counts", counting.format(loop)) for note, loop in loops.items()}
    own = "barrier_ids: Collection[int] | None = None", "barrier_ids=None, counts={}"
    files[LEFT_OVER.name] = files[LEFT_OVER.name].replace(*own)
    with Session(["04"], trust=True) as session:
        grades = session.grade_all([Submission(note, {"bpe": code.encode()}) for note, code in files.items()])
        notes = {grade.name: " ".join(grade.notes) for grade in grades}
    assert {note: f"Recognized in _get_pair_counts: {note}" in found for note, found in notes.items()} == dict.fromkeys(
        files, True
    ), notes


@pytest.mark.whole
@pytest.mark.timeout(3000)
@pytest.mark.parametrize("module_id", EVERY)
def test_a_file_has_the_same_name_of_its_mistake_in_reports_and_terminal(module_id):
    entries = [entry for entry in bank.entries(module_id)[:: EVERY[module_id]] if handed_in(entry)]
    file = modules()[module_id].file
    with runner("--first") as ask:
        terminal = {entry.name: ask(f"{module_id}/{entry.name}")[-1] for entry in entries}
    shown = {name: ((record["report"] or {}).get("mistake") or {}).get("name", "") for name, record in terminal.items()}
    with Session([module_id], trust=True, jobs=2) as session:
        grades = session.grade_all([Submission(one.name, {file: handed_in(one).encode()}) for one in entries])
        named = {grade.name: [mistake.name for mistake in grade.mistakes] for grade in grades}
    assert {name: named[name] for name, mistake in shown.items() if mistake and mistake not in named[name]} == {}
