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
from g2c.course.exercises import LIST, Module
from g2c.course.notebooks import exercise_from_solution, notebook_text, read_notebook
from g2c.course.source import functions, parse_source, read_source, todos_in

POINTS = 100
"""The points of a module in all."""
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


# --- the rules: each takes a module and yields what it lacks ----------------------------------------------------------


def exercise_file_has_its_todos(module: Module) -> Iterator[str]:
    """Every listed function ends in its TODO, and there is no other TODO."""
    tree = _tree(module.exercise_file)
    found = functions(tree)
    names = {exercise.qualified_name: exercise.name for exercise in module.exercises}
    for name in names:
        if name not in found:
            yield f"{module.exercise_path} has no function {name}."
        elif ast.unparse(found[name].body[-1]) != f"raise NotImplementedError('TODO: {names[name]}')":
            yield f'{module.exercise_path}: {name} does not end in raise NotImplementedError("TODO: {names[name]}").'
    for name, function in found.items():
        if name not in names and any(todos_in(function)):
            yield f"{LIST.name} does not list {name}, which has a TODO in {module.exercise_path}."


def answer_key_defines_every_todo(module: Module) -> Iterator[str]:
    """The key defines the exercises and nothing else."""
    key, answers = display_path(module.key_file), functions(_tree(module.key_file))
    listed = [exercise.qualified_name for exercise in module.exercises]
    for name in listed:
        if name not in answers:
            yield f"{key} does not define {name}."
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


def points_add_up(module: Module) -> Iterator[str]:
    """The points of a module are 100."""
    if module.points != POINTS:
        yield f"{LIST.name}: module {module.id} has {module.points} points in all; it must have {POINTS}."


def handout_has_its_pitfalls(module: Module) -> Iterator[str]:
    """The handout has every pitfall that the suite and the bank point to."""
    page = read_source(module.pitfalls_file)
    in_suite = re.findall(r'\bpitfall="([a-z0-9-]+)"', read_source(module.suite_file))
    for name in sorted({*in_suite, *(entry.pitfall for entry in _entries(module))}):
        if f'<a id="pitfall-{name}"></a>\n### ' not in page:
            yield (
                f"{module.pitfalls} has no pitfall {name}, to which the suite or the mistake bank points: a heading, "
                f'and before it a line <a id="pitfall-{name}"></a>.'
            )


def bank_has_wrong_solutions(module: Module) -> Iterator[str]:
    """Each exercise has a wrong solution, and each of these is caught by a group of the suite."""
    entries = _entries(module)
    folder = f"{bank.BANK.name}/{module.id}"
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
