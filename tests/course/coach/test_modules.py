"""Each module of the course is complete, and its parts agree: `pytest tests/course/coach/test_modules.py -k 04a`.

That the suites pass with the answer key, and fail on the stubs as they should, is tested in test_suite.py.
"""

import ast
import re
from importlib import import_module

import pytest

from coach.common.paths import REPOSITORY
from coach.diagnosis import bank
from coach.exercises import modules
from coach.notebooks.answer_list import answers_of
from coach.notebooks.make import ANSWER, exercise_from_solution, notebook_text, read_notebook
from coach.source import functions, todos_in
from support.notebook_outputs import output_texts

pytestmark = pytest.mark.parametrize("module", modules().values(), ids=lambda module: module.id)

MACHINE_PATH = re.compile(r"(?<![\w.:/<~])/(?:home|Users|root|tmp|work|var|usr|opt|mnt|private)\b")
WRITE = "write it with: python -m coach.notebooks"


def tree_of(path):
    return ast.parse(path.read_text(encoding="utf-8"))


def test_exercise_file_and_answer_key_define_the_exercises_of_course_toml(module):
    listed = {exercise.qualified_name: exercise.name for exercise in module.exercises}
    found = functions(tree_of(module.exercise_file))
    assert {name for name, function in found.items() if any(todos_in(function))} == set(listed)
    for name, todo in listed.items():
        last = ast.unparse(found[name].body[-1])
        assert last == f"raise NotImplementedError('TODO: {todo}')", f"{name} does not end in its TODO"
        for parameter in ast.walk(found[name].args):
            if isinstance(parameter, ast.arg):
                parameter.annotation = None
        [exercise] = [exercise for exercise in module.exercises if exercise.qualified_name == name]
        assert exercise.parameters == ast.unparse(found[name].args)
    assert set(functions(tree_of(module.key_file))) == set(listed), "the key defines the exercises and nothing else"
    public = {name: entry for name, entry in import_module(module.package).EXERCISES.items() if entry[1] == module.id}
    assert public == {name: (module.file, module.id) for name in module.public_names}
    assert module.points == 100
    for exercise in module.exercises:
        assert len(set(exercise.hints)) == 3, f"{exercise.name} needs three hints"
        short = [hint for hint in exercise.hints if len(hint.split()) < 8]
        assert not short, f"a hint for {exercise.name} is a sentence that helps, not {short}"
    assert all(re.fullmatch(r"[A-Z].{40,160}\.", exercise.lesson) for exercise in module.exercises), "a sentence"


def test_handout_and_notebook_have_a_place_for_each_exercise_and_name_the_file(module):
    handout = (REPOSITORY / module.handout).read_text(encoding="utf-8")
    notebook = "".join(cell.source for cell in read_notebook(module.notebook_file).cells)
    assert module.exercise_path in handout and module.exercise_path in notebook
    names = {exercise.name for exercise in module.exercises}
    missing = {name for name in names if not re.search(rf"`[\w.]*\b{name}\b", handout)}
    assert not missing, f"{module.handout} says nothing about them"
    assert re.search(r"`\d+ failed, \d+ passed`", handout), f"{module.handout} needs the counts on the untouched file"


def test_the_suite_has_the_groups_of_course_toml(module):
    suite = tree_of(module.suite_file)
    classes = [node.name for node in suite.body if isinstance(node, ast.ClassDef) and node.name.startswith("Test")]
    assert sorted(classes) == sorted(module.groups), "each group is listed once"
    marks = [ast.unparse(node.value) for node in suite.body if isinstance(node, ast.Assign)]
    mark = f"pytest.mark.student('{module.id}')"
    assert any(mark in value for value in marks), f"{module.suite} needs the line pytestmark = {mark}"


def test_every_exercise_has_a_wrong_solution_and_every_pitfall_that_is_pointed_to_is_explained(module):
    entries = bank.entries(module.id)
    assert {entry.exercise for entry in entries} == set(module.exercises)
    assert len({entry.name for entry in entries}) == len(entries), "two wrong solutions have the same name"
    for entry in entries:
        assert entry.caught_by in module.groups, f"{entry.path.name}, {entry.name}: no group {entry.caught_by}"
        assert entry.mistake.thought, (
            f"{entry.path.name}, {entry.name} needs a docstring: what the student was thinking"
        )
    in_suite = re.findall(r'\bpitfall="([a-z0-9-]+)"', module.suite_file.read_text(encoding="utf-8"))
    page = (REPOSITORY / module.pitfalls).read_text(encoding="utf-8")
    explained = set(re.findall(r'<a id="pitfall-([a-z0-9-]+)"></a>\n### ', page))
    missing = {*in_suite, *(entry.mistake.pitfall for entry in entries)} - explained
    assert not missing, f'{module.pitfalls} needs for each a heading, after a line <a id="pitfall-NAME"></a>'


def test_the_exercise_notebook_is_made_from_the_solution_which_was_run_from_top_to_bottom(module):
    exercise, solution = read_notebook(module.notebook_file), read_notebook(module.solution_file)
    assert module.solution_file.read_text(encoding="utf-8") == notebook_text(solution), f"{WRITE} {module.id}"
    assert notebook_text(exercise) == notebook_text(exercise_from_solution(solution)), f"{WRITE} {module.id}"
    code = [cell for cell in solution.cells if cell.cell_type == "code"]
    counts = [cell.execution_count for cell in code]
    assert counts == list(range(1, len(code) + 1)), f"{WRITE} --execute {module.id}"
    outputs = [output for cell in code for output in cell.outputs]
    assert not [output for output in outputs if output.output_type == "error" or output.get("name") == "stderr"]
    texts = [text for output in outputs for text in output_texts(output)]
    assert not [text for text in texts if MACHINE_PATH.search(text)], "paths of a machine"
    assert not [text for text in texts if "not as predicted" in text or "nothing predicted" in text]
    assert any("ANSWER KEY" in text for text in texts), f'the first cell prints code_in_use("{module.id}")'


def test_every_answer_in_the_notebook_is_a_function_that_the_next_cell_checks(module):
    cells = [cell.source for cell in read_notebook(module.solution_file).cells if cell.cell_type == "code"]
    assert f'answers = Answers("{module.id}")' in cells[0]
    in_notebook = set()
    for cell, following in zip(cells, [*cells[1:], ""]):
        for answer in (found["name"] for found in ANSWER.finditer(cell)):
            in_notebook.add(answer)
            assert f"def {answer}(" in cell
            assert re.search(rf"^answers\.check\((\w+, )*{answer}(, \w+)*\)$", following, re.MULTILINE), answer
    declared = answers_of(module)
    assert set(declared) == in_notebook, "each answer has a check in notebooks/checks/"
    for name, answer in declared.items():
        assert len(set(answer.hints)) >= 2 and answer.wrong, f"{name} needs two hints and a wrong variant"


def test_a_module_consists_of_what_contributing_lists(module):
    page = (REPOSITORY / "CONTRIBUTING.md").read_text(encoding="utf-8")
    section = page.split("\n## Adding a module\n")[1].split("\n## ")[0]
    added, changed, *_ = re.findall(r"```text\n(.*?)```", section, re.DOTALL)
    names = {
        # Suites of older modules are called otherwise.
        **{"tests/test_FILE.py": module.suite, "FILE": module.file, "PACKAGE": module.package.removeprefix("g2c.")},
        **{"ID-NAME": module.notebook_file.stem, "ID": module.id},
    }
    for word, name in names.items():
        added = added.replace(word, name)
    patterns = [line.split()[0] for line in added.splitlines()]
    assert len(patterns) == 10 and [pattern for pattern in patterns if not [*REPOSITORY.glob(pattern)]] == []
    for path in (line.split()[0] for line in changed.splitlines() if "package" not in line):
        assert re.search(rf"\b{module.id}\b", (REPOSITORY / path).read_text(encoding="utf-8")), path
    row = f"| {module.id} [{module.title}]({module.handout}) |"
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    assert readme.count(f"\n{row}") == 1, f"the table of modules needs a row that begins with {row}"


def test_the_head_of_the_handout_has_the_order_of_the_modules(module):
    head = (REPOSITORY / module.handout).read_text(encoding="utf-8").partition("\n## ")[0]
    order = ", ".join(f"**{each}**" if each == module.id else each for each in modules())
    assert f"\n\nModules in order: {order}.\n" in head


def test_a_handout_that_says_how_many_lines_to_write_is_right(module):
    text = (REPOSITORY / module.handout).read_text(encoding="utf-8")
    bodies = [ast.unparse(node.body) for node in functions(tree_of(module.key_file)).values()]
    lines = sum(body.count("\n") + 1 for body in bodies)
    for words in re.findall(r"about (\w+) lines", text):
        assert abs(lines - {"twenty": 20, "thirty": 30, "forty": 40, "fifty": 50, "sixty": 60}[words]) <= 5, lines
