"""Which hints the student has seen, of exercises and of the answers in notebooks."""

from g2c.common.files import sha256_of
from g2c.course.commands import state
from g2c.course.exercises import Exercise, modules
from g2c.course.notebooks.answer_list import Answer

_STATE = "hints"
"""Name of the stored state: key of the task -> {"shown": how many hints, "code": a hash of the exercise file then}."""


def hints_shown(task: Exercise | Answer) -> int:
    """How many hints of a task the student has seen."""
    return _entry(task)[0]


def next_hint(task: Exercise | Answer, *, more: bool) -> tuple[int, bool]:
    """Show another hint after another try, which changes the exercise file, or with `more`.

    Returns:
        (how many hints to show now, whether the last of them is new)
    """
    file = modules()[task.module_id].exercise_file
    code = sha256_of(file.read_bytes() if file.is_file() else b"")
    before, code_before = _entry(task)
    is_new = before < len(task.hints) and (more or before == 0 or code != code_before)
    number = before + is_new
    entry = {"shown": number, "code": code if is_new else code_before}
    state.write(_STATE, {**state.read(_STATE), task.key: entry})
    return number, is_new


def _entry(task: Exercise | Answer) -> tuple[int, str]:
    entry = state.read(_STATE).get(task.key, {"shown": 0, "code": ""})
    return min(entry["shown"], len(task.hints)), entry["code"]
