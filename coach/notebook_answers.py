"""Checks the answers that students write in notebooks.

A module declares them in a file in `notebooks/checks/` with the notebook's name. Each function there is named like the
function in the notebook that is the answer, and is called with it:

    @answer(
        hints=["What does one pair look like?", "sorted takes key=..., and reverse=True."],
        wrong=["return []"],
    )
    def most_frequent_pairs(function):
        check(call(function, "banana", 1), [((97, 110), 2)], idea="...")

In the notebook, the first cell has `answers = Answers("04")`, and each cell with an answer is followed by one with
`answers.check(most_frequent_pairs)`. A check uses no values that the notebook has computed before: `in_place_of`
replaces the global names that a function uses. It passes tokenizers and models of the course's classes, or of
subclasses that count or remember, because a right answer may use any of their methods.
"""

import inspect
import io
import re
import runpy
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, redirect_stdout
from dataclasses import replace
from functools import wraps
from typing import Any

from coach.common.errors import CourseError
from coach.common.tables import DisplayTable
from coach.exercises import modules, modules_with_key
from coach.notebooks.answer_list import Answer, answers_of, right_answers, store_right
from coach.state import next_hint
from coach.teaching import calls_so_far, check_arguments, under_limits
from coach.testing.comparison import is_numpy, kind_name
from coach.testing.observation import NotWritten, SaidInANotebook, StudentFailure, WrongAnswer
from coach.testing.report import Report

Callee = Callable[..., Any]


def answer(*, hints: list[str], wrong: Sequence[str] = ()) -> Callable[[Callee], Callee]:
    """Declare the decorated function as the check of the answer with its name. See the top of this file.

    The arguments must be literals: `answers_of` reads them without running the file, which imports the student's code.
    """
    return lambda check: check


class CellError(SaidInANotebook, CourseError):
    """Says that a cell of a notebook names something that is no answer, or comes before the cell that it needs."""


# --- in the notebook --------------------------------------------------------------------------------------------------


class Answers:
    """Checks the answers of one notebook, and gives hints: `answers = Answers("04")`."""

    def __init__(self, module_id: str) -> None:
        self.module = modules()[module_id]

    def check(self, *functions: Callee | str) -> None:
        """Check these answers, each given as its function or its name, and print which ones are right.

        Raises:
            WrongAnswer: some are wrong. The text says for each what was called, what came back and what was expected.
            NotWritten: none is wrong, but one, or an exercise that it calls, is still a TODO.
        """
        reports: list[Report] = []
        unwritten: list[str] = []
        right = right_answers(self.module)
        for one, function in [(self._find(function), _defined(function)) for function in functions]:
            try:
                run_check(one, function)
            except StudentFailure as failure:
                # Without a pitfall, the link would lead to all pitfalls of the exercises.
                page = failure.report.page if failure.report.pitfall else ""
                reports.append(replace(failure.report, page=page, hint=f"answers.hint({one.name})"))
                right.discard(one.name)
            except NotImplementedError as error:
                unwritten.append(f"{one.name} cannot be checked yet: {error}.")
            else:
                print(f"{one.name} is right.")
                right.add(one.name)
        if self.module.id not in modules_with_key():
            store_right(self.module.notebook_file.name, right)
        if reports:
            print(*unwritten, sep="\n", end="\n" if unwritten else "")
            raise WrongAnswer(*reports) from None
        if unwritten:
            raise NotWritten("\n".join(unwritten)) from None

    def hint(self, function: Callee | str) -> None:
        """Print the hints for an answer, its function or its name, that were shown before, and the next one."""
        one = self._find(function)
        number = next_hint(one)
        for position, hint in enumerate(one.hints[:number], start=1):
            print(f"Hint {position} of {len(one.hints)}: {hint}")
        print(one.after_hint(number))

    def _find(self, function: Callee | str) -> Answer:
        answers = answers_of(self.module)
        is_name = isinstance(function, str) and function.isidentifier()
        name = function if is_name else getattr(function, "__name__", None)
        if name is None:
            raise CellError(
                f"This is {kind_name(function)}, and no answer: write the function's name alone, without parentheses, "
                f"as in answers.check({[*answers][0]}). If a variable has its name, run the answer's cell again."
            )
        if name not in answers:
            raise CellError(f"{name} is not an answer of this notebook; its answers are {', '.join(answers)}.")
        return answers[name]


def _defined(function: Callee | str) -> Callee:
    """Return the notebook's function of this name. CellError: no cell has defined it yet."""
    found = getattr(sys.modules["__main__"], function, None) if isinstance(function, str) else function
    if found is None:
        raise CellError(f"{function} is not defined yet: run the cell with your answer first.")
    return found


def compare(prediction: dict[str, Any], outcomes: dict[str, Any]) -> DisplayTable:
    """Compare a student's prediction with the outcomes, in a table; `...` is nothing yet, in either of them.

    Upper and lower case are equal, and so are a list, a tuple and a text that lists the same: "4 2 1" is [4, 2, 1].

    Raises:
        CellError: the prediction is about something else, so its cell was not run.
    """
    if not isinstance(prediction, dict) or prediction.keys() != outcomes.keys():
        raise CellError(f"Run the cell above with your prediction first. It is about: {', '.join(outcomes)}.")
    rows = []
    for name, outcome in outcomes.items():
        values = prediction[name], outcome
        rows.append((name, *("" if value is ... else repr(value) for value in values), _verdict(*values)))
    return DisplayTable({"": "", "your prediction": "", "what came out": "", "compared": ""}, rows)


def _verdict(predicted: Any, outcome: Any) -> str:
    if outcome is ...:
        return "not compared"
    if predicted is ...:
        return "nothing predicted"
    is_listed = isinstance(predicted, str) and _listed(predicted) == _listed(outcome)
    return "as predicted" if is_listed or _plain(predicted) == _plain(outcome) else "not as predicted"


def _plain(value: Any) -> Any:
    if is_numpy(value):
        value = value.tolist()
    if isinstance(value, list | tuple):
        return [_plain(entry) for entry in value]
    return value.casefold() if isinstance(value, str) else value


def _listed(value: Any) -> str:
    """Write a value as its entries with a space between them, for any brackets and commas."""
    text = " ".join(map(_listed, value)) if isinstance(value, list | tuple) else str(value)
    return " ".join(re.sub(r"[][(),;]", " ", text).split()).casefold()


def run_check(one: Answer, function: Callee) -> None:
    """Run the check of an answer under the limits of a test, which its arguments must survive unchanged.

    Raises what `under_limits` raises.
    """
    check: Callee = runpy.run_path(str(one.module.checks_file))[one.name]
    own_file = inspect.unwrap(function).__code__.co_filename

    def run() -> None:
        check(function)
        for seen in calls_so_far():
            check_arguments(seen)

    under_limits(run, files=[own_file])


# --- for checks -------------------------------------------------------------------------------------------------------


@contextmanager
def in_place_of(function: Callee, **values: Any) -> Iterator[None]:
    """Give the notebook's global names that a function uses these values within the block."""
    names = inspect.unwrap(function).__globals__
    before = {name: names[name] for name in values if name in names}
    names.update(values)
    try:
        yield
    finally:
        for name in values:
            del names[name]
        names.update(before)


def printed_by(function: Callee) -> Callee:
    """Make a function that returns the text that this one prints."""

    @wraps(function)
    def printing(*arguments: Any, **options: Any) -> str:
        with redirect_stdout(io.StringIO()) as output:
            function(*arguments, **options)
        return output.getvalue()

    return printing
