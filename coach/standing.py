"""Knows how far the student is, from the last run of each suite, and what comes next.

A run of a whole suite on the student's own code stores, in .g2c/passing.json, which exercises passed, whether the
module is complete, and the hash of the exercise file that was tested. Nothing here runs a suite.
"""

from collections.abc import Iterable
from hashlib import sha256
from typing import Any

from coach import state
from coach.common.course_file import PROGRAM, hook
from coach.common.errors import CourseError
from coach.exercises import Exercise, Milestone, Module, chosen_modules, counted_modules, modules, modules_with_key
from coach.notebooks.answer_list import answers_of, right_answers
from coach.source import find_function
from coach.testing.report import Row

BAR = 20


def hash_of(module: Module) -> str:
    """Return the hash of an exercise file; of nothing if the file is missing."""
    return sha256(module.exercise_file.read_bytes() if module.exercise_file.is_file() else b"").hexdigest()


def remember(
    module: Module, file: str, passed: Iterable[Exercise], failed: Iterable[Exercise], *, complete: bool
) -> list[Exercise]:
    """Store what a run has shown about a file with this hash, and return the exercises that did not pass before it.

    An exercise that the run did not test keeps its earlier state.
    """
    before = passing(module)
    now = {exercise.qualified_name for exercise in passed}
    names = sorted(before - {exercise.qualified_name for exercise in failed} | now)
    state.write("passing", **{module.id: {"file": file, "exercises": names, "complete": complete}})
    return [exercise for exercise in module.exercises if exercise.qualified_name in now - before]


def passing(module: Module) -> set[str]:
    """Return the qualified names of the exercises that passed when they were last tested."""
    return set(_entry(module).get("exercises", ()))


def is_current(module: Module) -> bool:
    """Tell whether the exercise file is as it was in the last run of the suite."""
    return _entry(module).get("file") == hash_of(module)


def is_complete(module: Module) -> bool:
    """Tell whether the suite passes, as far as is known; with the answer key it does."""
    return module.id in modules_with_key() or bool(_entry(module).get("complete")) and is_current(module)


def _entry(module: Module) -> dict[str, Any]:
    entry = state.read("passing").get(module.id)
    return entry if isinstance(entry, dict) else {}


def is_untouched(module: Module) -> bool:
    """Tell whether none of a module's exercises has been written."""
    try:
        return all(find_function(module.exercise_file, exercise).first_todo for exercise in module.exercises)
    except CourseError:
        return False


def module_in_work() -> Module | None:
    """Return the module to work on, of those that count and are not complete: the one that was begun and whose exercise
    file was saved last, else the first; None if all are complete."""
    left = [module for module in counted_modules() if not is_complete(module)]
    return next((module for module in _saved_last(left) if not is_untouched(module)), left[0] if left else None)


def module_to_show(wanted: str | None = None) -> Module:
    """Return the module with this ID. By default the module in work; or, while none is begun, the one completed last.

    CourseError: there is no module with this ID.
    """
    if wanted is not None:
        return chosen_modules([wanted])[0]
    current = module_in_work()
    if current and not is_untouched(current):
        return current
    done = [module for module in counted_modules() if is_complete(module)]
    if current is None:
        return done[-1]
    return _saved_last(done)[0] if done else current


def _saved_last(some: Iterable[Module]) -> list[Module]:
    """Order modules by when their exercise files were saved, the latest first; a file that is missing counts as new."""

    def saved_at(module: Module) -> float:
        return module.exercise_file.stat().st_mtime if module.exercise_file.exists() else float("inf")

    return sorted(some, key=saved_at, reverse=True)


def next_exercise(module: Module) -> Exercise | None:
    """Return the first exercise that did not pass when it was last tested; None if all did."""
    return next((one for one in module.exercises if one.qualified_name not in passing(module)), None)


def bar(module: Module, done: int) -> Row:
    """Return a row for a module: its ID and title, and how many of its exercises pass."""
    total = len(module.exercises)
    filled = BAR * done // total
    width = max(len(each.title) for each in modules().values())
    text = f"{'█' * filled}{'░' * (BAR - filled)} {done} of {total} exercise{'' if total == 1 else 's'}"
    return Row(f"{module.id:<4}{module.title:<{width}} ", text)


def is_reached(milestone: Milestone) -> bool:
    """Ask the course whether a milestone is there, made by the code in use; without its hook, none ever is."""
    ask = hook("is_reached")
    return bool(ask and ask(milestone))


def steps_after(module: Module) -> dict[str, str]:
    """Return purpose -> command for everything still to do when a module's suite passes, in this order."""
    answers, steps = answers_of(module).keys(), {}
    if module.notebook_file.is_file() and (not answers or answers - right_answers(module)):
        steps["work through the notebook"] = f"./noteboosh.sh {module.id}"
    for one in (each for each in modules().values() if each is module or is_complete(each)):
        if one.milestone and (not is_reached(one.milestone) if one.milestone.artifact else one is module):
            steps[one.milestone.purpose] = one.milestone.command
    following = module_in_work()
    if module in counted_modules() and following:
        steps[f"go on with module {following.id}, {following.title}"] = f"{PROGRAM} watch"
    return steps


def next_rows(steps: dict[str, str]) -> list[Row]:
    """Return a row for each step, a purpose and its command."""
    width = max(map(len, steps), default=0)
    labels = ["next: ", *["then: "] * len(steps)]
    return [Row(label, f"{purpose:<{width}}  {command}") for label, (purpose, command) in zip(labels, steps.items())]


def what_next(module: Module) -> list[Row]:
    """Say what comes next, as far as the last run and the exercise file tell."""
    if is_complete(module):
        return next_rows(steps_after(module))
    exercise = next_exercise(module)
    try:
        todo = find_function(module.exercise_file, exercise).first_todo if exercise else None
    except CourseError:
        exercise = todo = None
    if exercise and todo:
        return [Row("next: ", f"write {exercise.name}, in {module.exercise_path}, line {todo}")]
    failed = exercise and is_current(module)
    return [Row("next: ", f"fix {exercise.name}; `{PROGRAM}` shows why" if exercise and failed else PROGRAM)]
