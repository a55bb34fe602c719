"""Says what a module of the course still lacks: `python -m coach.missing 04a`. A course's own tests ask `missing_in`.

Each check yields sentences. Nothing here runs a suite or a notebook.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterator
from importlib import import_module

from coach.common.paths import REPOSITORY, display_path
from coach.diagnosis.bank import entries
from coach.diagnosis.make import digest_of_sources
from coach.diagnosis.table import FILE, OutcomeTable
from coach.exercises import Exercise, Module, chosen_modules, modules
from coach.notebooks.answer_list import answers_of
from coach.notebooks.make import ANSWER, exercise_from_solution, notebook_text, read_notebook
from coach.plain import reports_errors
from coach.source import functions, parsed, todos_in

WORDS_OF_A_HINT = 6
LESSON = re.compile(r"[A-Z].{40,160}\.")
COLLECTED = re.compile(r"^(class Test|class .*TestCase\):|def test)", re.MULTILINE)
"""The beginning of what pytest collects."""


def missing_in(module: Module) -> Iterator[str]:
    """Yield a sentence for everything that a module lacks, or whose parts disagree.

    CourseError: a file of the module is not valid.
    """
    paths = (module.exercise_file, module.key_file, module.suite_file)
    pages = (REPOSITORY / module.handout, REPOSITORY / module.pitfalls)
    absent = [display_path(path) for path in dict.fromkeys((*paths, *pages)) if not path.is_file()]
    yield from (f"{path} is missing." for path in absent)
    if absent:
        return
    found = functions(parsed(module.exercise_file))
    handout = pages[0].read_text(encoding="utf-8")
    for exercise in module.exercises:
        yield from _in_exercise(exercise, found.get(exercise.qualified_name), handout)
    yield from _in_files(module, found)
    yield from _in_suite(module)
    yield from _in_bank(module)
    if module.solution_file.is_file():
        yield from _in_notebook(module)


def _in_exercise(exercise: Exercise, function: ast.FunctionDef | None, handout: str) -> Iterator[str]:
    """Compare an exercise in course.toml with its function and with the handout's text, and look at its own texts."""
    module, name = exercise.module, exercise.qualified_name
    if not function:
        yield f"{module.exercise_path} has no {name}."
    else:
        if function.decorator_list:
            yield f"{name} has a decorator: an exercise is a function or a method of an object, which grading calls."
        if ast.unparse(function.body[-1]) != f"raise NotImplementedError('TODO: {exercise.name}')":
            yield f'{name} does not end in raise NotImplementedError("TODO: {exercise.name}").'
        for parameter in ast.walk(function.args):
            if isinstance(parameter, ast.arg):
                parameter.annotation = None
        if (found := ast.unparse(function.args)) != exercise.parameters:
            yield f"{name} has the parameters {found}; course.toml has {exercise.parameters}."
    if len({*exercise.hints}) != 3:
        yield f"{name} needs three hints."
    for hint in exercise.hints:
        if len(hint.split()) < WORDS_OF_A_HINT:
            yield f"A hint for {name} is a sentence that helps, not {hint!r}."
    if not LESSON.fullmatch(exercise.lesson):
        yield f"The lesson of {name} is a sentence of 40 to 160 characters."
    if not re.search(rf"`[\w.]*\b{exercise.name}\b", handout):
        yield f"{module.handout} does not name `{exercise.name}`."


def _in_files(module: Module, found: dict[str, ast.FunctionDef]) -> Iterator[str]:
    """Compare the functions of the exercise file with the answer key and the package."""
    listed = {exercise.qualified_name for exercise in module.exercises}
    for name, function in found.items():
        if any(todos_in(function)) and name not in listed:
            yield f"{name} has a TODO, and course.toml does not list it."
    key = functions(parsed(module.key_file)).keys()
    yield from (f"{display_path(module.key_file)} lacks {name}." for name in sorted(listed - key))
    for name in sorted(key - listed):
        yield f"{display_path(module.key_file)} defines {name}, which is no exercise."
    exported = import_module(module.package).EXERCISES
    here = {name: place for name, place in exported.items() if place[1] == module.id}
    for name in sorted({*module.public_names} ^ here.keys()):
        yield f"EXERCISES of {module.package} {'has' if name in here else 'lacks'} {name}, against course.toml."
    for name, (file, _) in here.items():
        if file != module.file:
            yield f"EXERCISES of {module.package} says that {name} is in {file}, not in {module.file}."


def _in_suite(module: Module) -> Iterator[str]:
    """Compare the suite's classes with the groups of course.toml."""
    suite = parsed(module.suite_file)
    tests = (node for node in suite.body if isinstance(node, ast.ClassDef | ast.FunctionDef))
    classes = {node.name: code for node in tests if COLLECTED.search(code := ast.unparse(node))}
    with_core = {name for name, code in classes.items() if "@pytest.mark.core" in code}
    for exercise in module.exercises:
        if with_core.isdisjoint(exercise.groups):
            yield f"{exercise.qualified_name} has no test marked @pytest.mark.core."
    yield from (f"{module.suite} has no class {group}." for group in sorted({*module.groups} - {*classes}))
    yield from (
        f"{name} of {module.suite} is no test class that course.toml lists."
        for name in sorted({*classes} - {*module.groups})
    )
    for group in sorted({group for group in module.groups if module.groups.count(group) > 1}):
        yield f"course.toml lists {group} twice."
    mark = f"pytest.mark.student('{module.id}')"
    if not any(mark in ast.unparse(node.value) for node in suite.body if isinstance(node, ast.Assign)):
        yield f"{module.suite} needs the line pytestmark = {mark}."


def _in_bank(module: Module) -> Iterator[str]:
    """Check the wrong solutions, and that the pitfalls to which they and the suite point are explained."""
    bank = entries(module.id)
    has_wrong = {entry.exercise for entry in bank}
    yield from (
        f"{one.qualified_name} has no wrong solution in mistakes." for one in module.exercises if one not in has_wrong
    )
    names = [entry.name for entry in bank]
    for name in sorted({name for name in names if names.count(name) > 1}):
        yield f"Two wrong solutions of module {module.id} are called {name}."
    for entry in bank:
        place = f"{display_path(entry.path)}, {entry.name}"
        if entry.caught_by not in module.groups:
            yield f"{place}: there is no group {entry.caught_by}."
        if not entry.mistake.thought:
            yield f"{place} needs a docstring: what the student was thinking."
    if OutcomeTable(module).sources != digest_of_sources(module):
        table, command = f"mistakes/{module.id}/{FILE}", f"python -m coach.diagnosis {module.id}"
        yield f"{table} was not made from what is here. Make it: {command}"
    pointed_to = {*re.findall(r'\bpitfall="([a-z0-9-]+)"', module.suite_file.read_text(encoding="utf-8"))}
    page = (REPOSITORY / module.pitfalls).read_text(encoding="utf-8")
    explained = {*re.findall(r'<a id="pitfall-([a-z0-9-]+)"></a>\n### ', page)}
    for name in sorted({*pointed_to, *(entry.mistake.pitfall for entry in bank)} - explained):
        yield f'{module.pitfalls} needs a heading after the line <a id="pitfall-{name}"></a>.'


def _in_notebook(module: Module) -> Iterator[str]:
    """Check that the notebook is made from the solution, and that every answer is a function that has its check."""
    solution = read_notebook(module.solution_file)
    write = f"Write it by: python -m coach.notebooks {module.id}"
    exercise = notebook_text(exercise_from_solution(solution))
    if not module.notebook_file.is_file() or module.notebook_file.read_text(encoding="utf-8") != exercise:
        yield f"{module.notebook} is not what its solution gives. {write}"
    cells = [cell.source for cell in solution.cells if cell.cell_type == "code"]
    if f'answers = Answers("{module.id}")' not in cells[0]:
        yield f'The first code cell of the solution needs the line answers = Answers("{module.id}").'
    in_notebook = set()
    for cell, following in zip(cells, [*cells[1:], ""]):
        for name in (found["name"] for found in ANSWER.finditer(cell)):
            in_notebook.add(name)
            if f"def {name}(" not in cell:
                yield f"The answer {name} is not a function."
            if not re.search(rf"^answers\.check\((\w+, )*{name}(, \w+)*\)$", following, re.MULTILINE):
                yield f"The cell after the answer {name} needs the line answers.check({name})."
    declared = answers_of(module)
    checks = display_path(module.checks_file)
    for name in sorted(declared.keys() ^ in_notebook):
        where = f"{checks} has no check of" if name in in_notebook else "The solution has no answer"
        yield f"{where} {name}."
    for name, answer in declared.items():
        if len({*answer.hints}) < 2 or not answer.wrong:
            yield f"{checks}: {name} needs two hints and a wrong variant."


@reports_errors
def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m coach.missing", description="Say what modules still lack.")
    parser.add_argument("modules", nargs="*", metavar="MODULE", help="module IDs, such as 04; default: all")
    wanted = parser.parse_args(arguments).modules or list(modules())
    lacking = 0
    for module in chosen_modules(wanted):
        sentences = [*missing_in(module)]
        print(*sentences or [f"Module {module.id} is complete."], sep="\n")
        lacking += len(sentences)
    return min(lacking, 1)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
