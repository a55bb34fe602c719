"""What a module of the course still lacks: the rules for its files, each rule a function.

`g2c dev check` prints what they find, and the course's own tests require that they find nothing. The rules only read
files; tests/course/course/test_suite.py runs the suites.
"""

import ast
import re
from collections.abc import Callable, Iterator
from pathlib import Path

from nbformat import NotebookNode

from g2c.common.errors import CourseError
from g2c.common.paths import REPOSITORY, display_path
from g2c.course.answer_list import answers_of, checks_file
from g2c.course.diagnosis import bank
from g2c.course.exercises import HINTS, LIST, Module, modules
from g2c.course.notebooks import exercise_from_solution, notebook_text, read_notebook
from g2c.course.source import functions, parse_source, read_source, todos_in

POINTS = 100
"""The points of a module in all."""
MISTAKES = 5
"""How many wrong solutions a module has at least."""
ANSWER_HINTS = 2
"""How many hints an answer of a notebook has at least."""
_MACHINE_PATH = re.compile(r"(?<![\w.:/<~])/(?:home|Users|root|tmp|work|var|usr|opt|mnt|private)\b")
_NOTEBOOKS = "python -m g2c.course.notebooks"


def lacks(module: Module) -> list[str]:
    """What a module lacks, a sentence each; empty when the module is complete."""
    sentences = []
    for rule in RULES:
        try:
            for sentence in rule(module):
                sentences.append(sentence)
        except CourseError as error:
            # A file that the rule reads is missing or not readable. Several rules may report the same file.
            sentences.append(str(error))
    return list(dict.fromkeys(sentences))


def lacks_of_course() -> list[str]:
    """Answer keys and TODOs that belong to no module of exercises.toml, a sentence each."""
    known = list(modules().values())
    sentences = []
    for path in sorted({module.key_file.parent for module in known}.pop().glob("*.py")):
        if path.name != "__init__.py" and path not in {module.key_file for module in known}:
            sentences.append(f"{LIST.name} lists no exercise file for the answer key {display_path(path)}.")
    for folder in sorted({module.exercise_file.parent for module in known}):
        for path in sorted(set(folder.glob("*.py")) - {module.exercise_file for module in known}):
            if any(todos_in(_tree(path))):
                sentences.append(f"{LIST.name} does not list the exercises of {display_path(path)}.")
    return sentences


# --- the rules: each takes a module and yields what it lacks ----------------------------------------------------------


def exercise_file_has_its_todos(module: Module) -> Iterator[str]:
    """Every listed function ends in its TODO, and there is no other TODO."""
    tree = _tree(module.exercise_file)
    found = functions(tree)
    for exercise in module.exercises:
        function = found.get(exercise.qualified_name)
        if function is None:
            yield f"{module.exercise_path} has no function {exercise.qualified_name}."
        elif ast.unparse(function.body[-1]) != f"raise NotImplementedError('TODO: {exercise.name}')":
            yield (
                f"{module.exercise_path}: {exercise.qualified_name} does not end in "
                f'raise NotImplementedError("TODO: {exercise.name}").'
            )
    listed = [exercise.qualified_name for exercise in module.exercises]
    with_todo = [name for name, function in found.items() if any(todos_in(function))]
    for name in with_todo:
        if name not in listed:
            yield f"{LIST.name} does not list {name}, which has a TODO in {module.exercise_path}."
    if len(list(todos_in(tree))) > len(with_todo):
        yield f"{module.exercise_path} has a TODO that is not the end of a function."


def answer_key_defines_every_todo(module: Module) -> Iterator[str]:
    """The key defines the exercises, with the same parameters, and nothing else."""
    key = display_path(module.key_file)
    tree, scaffold = _tree(module.key_file), functions(_tree(module.exercise_file))
    answers = functions(tree)
    listed = [exercise.qualified_name for exercise in module.exercises]
    for name in listed:
        if name not in answers:
            yield f"{key} does not define {name}."
        elif name in scaffold and _parameters(answers[name]) != _parameters(scaffold[name]):
            yield f"{key}: {name} takes other parameters than in {module.exercise_path}."
    for name in answers:
        if name not in listed:
            yield f"{key} defines {name}, which is not an exercise."


def suite_has_its_groups(module: Module) -> Iterator[str]:
    """The suite is marked with its module, and its classes are the listed groups."""
    tree = _tree(module.suite_file)
    classes = [node.name for node in tree.body if isinstance(node, ast.ClassDef) and node.name.startswith("Test")]
    for group in module.groups:
        if group not in classes:
            yield f"{module.suite} has no class {group}, which {LIST.name} lists as a test group."
    for name in classes:
        if name not in module.groups:
            yield f"{LIST.name} does not list the class {name} of {module.suite} as a test group."
    marks = [ast.unparse(node.value) for node in tree.body if isinstance(node, ast.Assign)]
    if not any(f"pytest.mark.student('{module.id}')" in mark for mark in marks):
        yield f'{module.suite} has no line pytestmark = pytest.mark.student("{module.id}").'


def hints_lead_without_answering(module: Module) -> Iterator[str]:
    """The hints of an exercise differ, and none holds a line of the answer key."""
    answers = functions(_tree(module.key_file))
    for exercise in module.exercises:
        where = f"{LIST.name}, {exercise.qualified_name}"
        if len(set(exercise.hints)) < HINTS:
            yield f"{where}: two hints are equal."
        lines = _telling_lines(answers[exercise.qualified_name]) if exercise.qualified_name in answers else []
        for number, hint in enumerate(exercise.hints, start=1):
            if any(line in _squeezed(hint) for line in lines):
                yield f"{where}: hint {number} holds a line of the answer key."


def points_add_up(module: Module) -> Iterator[str]:
    """The points of a module are 100."""
    if module.points != POINTS:
        yield f"{LIST.name}: module {module.id} has {module.points} points in all; it must have {POINTS}."


def handout_has_its_pitfalls(module: Module) -> Iterator[str]:
    """The handout has the counts of tests, and every pitfall that the suite and the bank point to."""
    text = read_source(module.handout_file)
    if not re.search(r"\d+ failed, \d+ passed", text):
        yield f'{module.handout} does not say how many tests fail on the untouched file: "9 failed, 3 passed".'
    page = read_source(module.pitfalls_file)
    pitfalls = page.partition("\n## Pitfalls\n")[2].partition("\n## ")[0]
    headings = re.findall(r"^### ", pitfalls, re.MULTILINE)
    anchored = re.findall(r'^<a id="pitfall-[a-z0-9-]+"></a>\n### ', pitfalls, re.MULTILINE)
    if not len(headings) == len(anchored) > 0:
        yield f'{module.pitfalls}: every pitfall needs a heading, and before it a line <a id="pitfall-NAME"></a>.'
    in_suite = re.findall(r'\bpitfall="([a-z0-9-]+)"', read_source(module.suite_file))
    if not in_suite:
        yield f'No test of {module.suite} points to a pitfall of the handout: check(..., pitfall="NAME").'
    for name in sorted({*in_suite, *(entry.pitfall for entry in _entries(module))}):
        if f'<a id="pitfall-{name}"></a>' not in page:
            yield f"{module.pitfalls} has no pitfall {name}, to which the suite or the mistake bank points."


def bank_has_wrong_solutions(module: Module) -> Iterator[str]:
    """There are enough wrong solutions, each exercise has one, and each is caught by a group of the suite."""
    entries = _entries(module)
    folder = f"{bank.BANK.name}/{module.id}"
    if len(entries) < MISTAKES:
        yield f"{folder}/ has {len(entries)} wrong solutions; a module needs at least {MISTAKES}."
    for entry in entries:
        if entry.caught_by not in module.groups:
            yield f"{folder}/{entry.path.name}, {entry.name}: module {module.id} has no test group {entry.caught_by}."
    for exercise in module.exercises:
        if exercise not in {entry.exercise for entry in entries}:
            yield f"{folder}/ has no wrong solution for {exercise.qualified_name}."


def notebooks_agree(module: Module) -> Iterator[str]:
    """The exercise notebook is what the solution generates, and the solution was run from top to bottom."""
    exercise, solution = read_notebook(module.notebook_file), read_notebook(module.solution_file)
    name = display_path(module.solution_file)
    if read_source(module.solution_file) != notebook_text(solution):
        yield f"{name} is not stored as the course writes it; run {_NOTEBOOKS} {module.id}"
    if notebook_text(exercise) != notebook_text(exercise_from_solution(solution)):
        yield f"{module.notebook} is not what the solution generates; run {_NOTEBOOKS} {module.id}"
    code = [cell for cell in solution.cells if cell.cell_type == "code"]
    if [cell.execution_count for cell in code] != list(range(1, len(code) + 1)):
        yield f"{name} was not run from top to bottom; run {_NOTEBOOKS} --execute {module.id}"
    outputs = [output for cell in code for output in cell.outputs]
    if any(output.output_type == "error" or output.get("name") == "stderr" for output in outputs):
        yield f"{name} has an error or a warning among its outputs."
    texts = [text for output in outputs for text in output_texts(output)]
    if any(_MACHINE_PATH.search(text) for text in texts):
        yield f"{name} has an absolute path among its outputs."
    if not any("ANSWER KEY" in text for text in texts):
        yield f'{name} does not print code_in_use("{module.id}"), or was not run with the answer key.'


def notebook_answers_are_checked(module: Module) -> Iterator[str]:
    """Each answer is a function with a check, hints and wrong variants, and the cell after it calls the check."""
    cells = [cell for cell in read_notebook(module.solution_file).cells if cell.cell_type == "code"]
    name, checks = display_path(module.solution_file), display_path(checks_file(module))
    declared = answers_of(module)
    in_notebook = []
    for cell, following in zip(cells, [*(cell.source for cell in cells[1:]), ""], strict=True):
        for answer in re.findall(r"### BEGIN ANSWER (\w+)", cell.source):
            in_notebook.append(answer)
            if f"def {answer}(" not in cell.source:
                yield f"{name}: the answer {answer} of cell {cell.id} is not in a function of this name."
            if f"answers.check({answer})" not in following.splitlines():
                yield f"{name}: the code cell after {cell.id} has no line answers.check({answer})."
            if answer not in declared:
                yield f"{checks} has no check of the answer {answer}."
    if f'answers = Answers("{module.id}")' not in cells[0].source:
        yield f'{name}: the first code cell has no line answers = Answers("{module.id}").'
    for answer, one in declared.items():
        if answer not in in_notebook:
            yield f"{checks} checks {answer}, which is not an answer of the notebook."
        if len(set(one.hints)) < ANSWER_HINTS:
            yield f"{checks}: {answer} needs {ANSWER_HINTS} hints that differ."
        if not one.wrong:
            yield f"{checks}: {answer} has no wrong variant, which would show that its check catches anything."


def readme_has_a_row(module: Module) -> Iterator[str]:
    """README's table of modules has a row that leads to the module's handout."""
    row = f"| {module.id} [{module.title}]({module.handout}) |"
    if sum(line.startswith(row) for line in read_source(REPOSITORY / "README.md").splitlines()) != 1:
        yield f"README.md has no row in its table of modules that begins with {row}"


RULES: tuple[Callable[[Module], Iterator[str]], ...] = (
    exercise_file_has_its_todos,
    answer_key_defines_every_todo,
    suite_has_its_groups,
    hints_lead_without_answering,
    points_add_up,
    handout_has_its_pitfalls,
    bank_has_wrong_solutions,
    notebooks_agree,
    notebook_answers_are_checked,
    readme_has_a_row,
)


# --- what the rules need ----------------------------------------------------------------------------------------------


def output_texts(output: NotebookNode) -> list[str]:
    """Everything in an output of a notebook cell but its pictures."""
    texts = [text for kind, text in output.get("data", {}).items() if kind.startswith("text/")]
    return [output.get("text", ""), *(re.sub(r'src="data:[^"]*"', "", text) for text in texts)]


def _tree(path: Path) -> ast.Module:
    return parse_source(path, read_source(path))


def _entries(module: Module) -> tuple[bank.Entry, ...]:
    """The wrong solutions of a module. CourseError when one is not in the form of the bank."""
    try:
        return bank.entries(module.id)
    except ValueError as error:
        raise CourseError(str(error)) from None


def _parameters(function: ast.FunctionDef) -> list[str]:
    arguments = function.args
    return [argument.arg for argument in (*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs)]


def _telling_lines(function: ast.FunctionDef) -> list[str]:
    """Lines of a function that would give the answer away: longer than "else:" or "return None"."""
    return [line for line in map(_squeezed, ast.unparse(function).splitlines()[1:]) if len(line) > 12]


def _squeezed(text: str) -> str:
    return re.sub(r"[\s`]", "", text).replace('"', "'").rstrip(":")
