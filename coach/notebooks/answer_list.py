"""Lists the answers that students write in notebooks, and records which ones are right.

`coach.notebook_answers` says how a module declares them, and checks them. This file only reads declarations, so
that commands which count answers import neither the test tools nor the student's code.
"""

import ast
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass

from coach import state
from coach.common.answer_key import NO_ANSWERS
from coach.common.paths import display_path
from coach.exercises import Module, modules
from coach.source import functions, parsed


@dataclass(frozen=True)
class Answer:
    """Describes an answer of a notebook, as the file of checks declares it."""

    module_id: str
    name: str
    hints: tuple[str, ...]
    wrong: tuple[str, ...]
    """Wrong code that the check must catch."""

    @property
    def key(self) -> str:
        """Return the key under which its hints are stored."""
        return f"{self.module_id}:notebook:{self.name}"

    @property
    def module(self) -> Module:
        return modules()[self.module_id]

    def after_hint(self, number: int) -> str:
        if number < len(self.hints):
            return "Ask again for the next hint."
        place = f"The answer is in {display_path(self.module.solution_file)}, under BEGIN ANSWER {self.name}."
        return f"This was the last hint. {place if self.module.solution_file.is_file() else NO_ANSWERS}"


def answers_of(module: Module) -> dict[str, Answer]:
    """Return name -> answer, in the order of the file of checks; an empty dictionary if there is no such file.

    Raises:
        CourseError: the file is not valid Python. The message says where.
        ValueError: an answer is not declared with literals.
    """
    path = module.checks_file
    if not path.is_file():
        return {}
    found = {}
    for name, function in functions(parsed(path)).items():
        for declaration in [one for one in function.decorator_list if isinstance(one, ast.Call)]:
            declared = {keyword.arg: ast.literal_eval(keyword.value) for keyword in declaration.keywords}
            # A release without answers has no wrong variants, since most differ from the right answer by a word.
            wrong = tuple(textwrap.dedent(code).strip("\n") for code in declared.get("wrong", ()))
            found[name] = Answer(module.id, name, tuple(declared["hints"]), wrong)
    return found


def right_answers(module: Module) -> set[str]:
    """Return the names of the answers that passed their latest check since the working copy was made."""
    passed = state.read("answers").get(module.notebook_file.name, [])
    return {name for name in answers_of(module) if name in passed}


def store_right(notebook: str, answers: Iterable[str] = ()) -> None:
    """Store which answers are right in the notebook of this name; none are in a new working copy."""
    state.write("answers", **{notebook: sorted(answers)})
