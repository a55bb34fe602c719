"""The answers that students write in notebooks: their checks and hints, and which of them are right so far.

A module declares them in one file, `notebooks/checks/` and the notebook's name. Each function there is named like the
function of the notebook that holds the answer, and is called with it:

    @answer(
        hints=["What does one pair look like?", "sorted takes key=..., and reverse=True."],
        wrong=["return []"],
    )
    def most_frequent_pairs(function):
        check(call(function, "banana", 1), [((97, 110), 2)], idea="...")

In the notebook, `answers = Answers("04")` stands in the first cell, and after each cell with an answer one with
`answers.check(most_frequent_pairs)`. What passes is stored with a hash of its code in `.g2c/`: an answer counts for as
long as the working copy of the notebook holds that code.
"""

import ast
import hashlib
import inspect
import io
import json
import runpy
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass
from functools import wraps
from pathlib import Path
from typing import Any

from g2c.common import paths
from g2c.common.errors import CourseError
from g2c.common.paths import display_path
from g2c.course import state
from g2c.course.answer_key import modules_with_key
from g2c.course.calls import history
from g2c.course.exercises import Module, all_exercises, modules
from g2c.course.limits import Guard, OverLimit
from g2c.course.source import functions, parse_source, read_source
from g2c.course.student_code import student_files
from g2c.course.teaching import StudentFailure, limit_report

_RIGHT, _HINTS = "answers", "hints"
"""Names of stored states. Answers: module ID -> name -> hash of the code that passed."""

Function = Callable[..., Any]


@dataclass(frozen=True)
class Answer:
    """An answer of a notebook, as the file of checks declares it.

    Attributes:
        module_id: the module whose notebook it is in.
        name: the function of the notebook that holds the answer.
        hints: two or more, from a nudge to nearly the answer.
        wrong: code in place of the answer that the check must catch, as the course's own tests prove.
    """

    module_id: str
    name: str
    hints: tuple[str, ...]
    wrong: tuple[str, ...]

    @property
    def module(self) -> Module:
        return modules()[self.module_id]

    def load_check(self) -> Function:
        """The check: takes the function of the notebook, raises a `StudentFailure` unless it is right."""
        declared = runpy.run_path(str(checks_file(self.module)))
        check: Function = declared[self.name]
        return check


def answer(*, hints: list[str], wrong: list[str]) -> Callable[[Function], Function]:
    """Declare the decorated function as the check of the answer that has its name. See the top of this file.

    Its arguments are literals: `answers_of` reads them without running the file, which imports the student's code.
    """
    return lambda check: check


def checks_file(module: Module) -> Path:
    """The file that declares the answers of a module's notebook."""
    return module.notebook_file.parent / "checks" / f"{module.notebook_file.stem}.py"


def answers_of(module: Module) -> dict[str, Answer]:
    """Name -> answer, in the order of the file of checks; empty when there is none.

    Raises:
        CourseError: the file is not valid Python, or an answer is not declared with literals. The message says where.
    """
    path = checks_file(module)
    if not path.is_file():
        return {}
    found = {}
    for name, function in functions(parse_source(path, read_source(path))).items():
        declarations = [one for one in function.decorator_list if ast.unparse(one).startswith("answer(")]
        if declarations:
            try:
                hints, wrong = _texts_of(declarations[0])
            except (ValueError, KeyError, TypeError, AttributeError):
                where = f"{display_path(path)}, line {function.lineno}"
                raise CourseError(f"{where}: write @answer(hints=[...], wrong=[...]) with literal texts.") from None
            found[name] = Answer(module.id, name, hints, wrong)
    return found


def _texts_of(declaration: Any) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The hints and the wrong variants in the syntax tree of `answer(hints=[...], wrong=[...])`."""
    texts = {keyword.arg: ast.literal_eval(keyword.value) for keyword in declaration.keywords}
    return tuple(texts["hints"]), tuple(textwrap.dedent(code).strip("\n") for code in texts["wrong"])


def find_answer(name: str) -> Answer | None:
    """The answer called `name`, as in "comes_back" or "04a:comes_back"; None when there is none, or an exercise has it.

    Of several answers of this name, the first that is not right yet.
    """
    module_id, _, plain_name = name.rpartition(":")
    if any(plain_name in (exercise.name, exercise.qualified_name) for exercise in all_exercises()):
        return None
    searched = [module for module in modules().values() if module_id in ("", module.id)]
    found = [answers[plain_name] for module in searched if plain_name in (answers := answers_of(module))]
    open_ones = [one for one in found if plain_name not in right_answers(one.module)]
    return next(iter(open_ones or found), None)


# --- in the notebook --------------------------------------------------------------------------------------------------


class WrongAnswer(AssertionError):
    """An answer is not right. Its text is a report; a notebook shows it without a traceback."""

    def _render_traceback_(self) -> list[str]:
        """What IPython prints instead of a traceback."""
        return str(self).splitlines()


class Answers:
    """The checks and hints of one notebook.

    Args:
        module_id: the module whose notebook it is, such as "04".
    """

    def __init__(self, module_id: str) -> None:
        self.module = modules()[module_id]

    def check(self, function: Function) -> None:
        """Check an answer, given as the function that holds it. Prints that it is right.

        Raises:
            WrongAnswer: it is not. The text says what was called, what came back and what was expected.
            NotImplementedError: it, or an exercise that it calls, is still a TODO.
        """
        one = self._find(function)
        try:
            run_check(one, function)
        except StudentFailure as failure:
            raise WrongAnswer(f"{_report(failure)}\n{_where_hints_are(one)}") from None
        _remember(one, function)
        print(f"{one.name} is right.")

    def hint(self, function: Function) -> None:
        """Print the hints for an answer that have been shown before, and the next one."""
        for line in hint_lines(self._find(function)):
            print(line)

    def _find(self, function: Function) -> Answer:
        name = getattr(function, "__name__", repr(function))
        answers = answers_of(self.module)
        if name not in answers:
            raise CourseError(f"{name} is not an answer of this notebook; its answers are {', '.join(answers)}.")
        return answers[name]


def run_check(one: Answer, function: Function) -> None:
    """Run the check of an answer under the limits of a test.

    Raises:
        StudentFailure: the answer is wrong. Its text is the report.
        NotImplementedError: something is still a TODO.
    """
    check = one.load_check()
    own_file = inspect.unwrap(function).__code__.co_filename
    check_file = check.__code__.co_filename
    # Looked up once: the guard asks for each frame, many times a second.
    files = student_files() | {own_file}
    guard = Guard(lambda name: name in files, lambda name: name == check_file)
    history.begin_test()
    try:
        with guard.watch():
            check(function)
    except OverLimit as limit:
        raise limit_report(limit) from None


def _report(failure: StudentFailure) -> str:
    """The report, without a link to the handout where it would lead to all pitfalls of the exercises."""
    return "\n".join(line for line in str(failure).splitlines() if not line.endswith("#pitfalls"))


def _where_hints_are(one: Answer) -> str:
    return f"Hint:       answers.hint({one.name}) in a cell, or g2c hint {one.name} in a terminal"


def hint_lines(one: Answer) -> Iterator[str]:
    """The hints shown before and the next one, as lines of text. Each call counts as one more hint shown."""
    hints = state.read(_HINTS)
    key = f"{one.module_id}:notebook:{one.name}"
    before = hints.get(key, {}).get("shown", 0) if isinstance(hints.get(key), dict) else 0
    shown = min(before + 1, len(one.hints)) if isinstance(before, int) and before >= 0 else 1
    hints[key] = {"shown": shown}
    state.write(_HINTS, hints)
    for number, hint in enumerate(one.hints[:shown], start=1):
        yield f"Hint {number} of {len(one.hints)}: {hint}"
    if shown < len(one.hints):
        yield "Ask again for the next hint."
    else:
        solution = display_path(one.module.solution_file)
        yield f"This was the last hint. The answer is in {solution}, under BEGIN ANSWER {one.name}."


# --- which are right --------------------------------------------------------------------------------------------------


def working_copy(module: Module) -> Path:
    """The notebook in which a student works, which noteboosh.sh makes."""
    return paths.REPOSITORY / "notebooks" / "mine" / module.notebook_file.name


def right_answers(module: Module) -> set[str]:
    """Names of the answers in the working copy whose code has passed its check."""
    passed = state.read(_RIGHT).get(module.id)
    if not isinstance(passed, dict) or not passed:
        return set()
    return {name for name, code in _functions_of_copy(module).items() if passed.get(name) == code}


def is_begun(module: Module) -> bool:
    """Whether the student has a working copy of the notebook."""
    return working_copy(module).is_file()


def _functions_of_copy(module: Module) -> dict[str, str]:
    """Function -> hash of its code, for the functions in the cells of the working copy; empty without a copy."""
    try:
        notebook = json.loads(working_copy(module).read_bytes())
        sources = ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == "code"]
    except (OSError, ValueError, KeyError, TypeError):
        return {}
    found: dict[str, str] = {}
    for source in sources:
        # Lines such as %autoreload are IPython's and no Python.
        lines = ["" if line.startswith(("%", "!")) else line for line in source.splitlines()]
        try:
            tree = ast.parse("\n".join(lines))
        except (SyntaxError, ValueError):
            continue
        found |= {node.name: _hash(node) for node in tree.body if isinstance(node, ast.FunctionDef)}
    return found


def _remember(one: Answer, function: Function) -> None:
    """Store that this code is right, unless it is the answer key's."""
    if one.module_id in modules_with_key():
        return
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    except (OSError, TypeError, SyntaxError):
        return
    right = state.read(_RIGHT)
    of_module = right.get(one.module_id)
    right[one.module_id] = {**(of_module if isinstance(of_module, dict) else {}), one.name: _hash(tree.body[0])}
    state.write(_RIGHT, right)


def _hash(function: ast.AST) -> str:
    return hashlib.sha256(ast.dump(function).encode()).hexdigest()


# --- what checks are written with -------------------------------------------------------------------------------------


@contextmanager
def in_place_of(function: Function, **values: Any) -> Iterator[None]:
    """Within the block, global names of the notebook that a function uses have these values."""
    names = inspect.unwrap(function).__globals__
    before = {name: names[name] for name in values if name in names}
    names.update(values)
    try:
        yield
    finally:
        for name in values:
            del names[name]
        names.update(before)


def printed_by(function: Function) -> Function:
    """A function that returns, as one text, what this one prints."""

    @wraps(function)
    def printing(*arguments: Any, **options: Any) -> str:
        with redirect_stdout(io.StringIO()) as output:
            function(*arguments, **options)
        return output.getvalue()

    return printing
