"""Which hints the student has seen, of exercises and of the answers in notebooks."""

from typing import Protocol

from g2c.course import state

_STATE = "hints"
"""Name of the stored state: key of the task -> {"shown": how many hints, "code": the code when the last was new}."""


class Task(Protocol):
    """What has hints: an `Exercise` or an `Answer`."""

    @property
    def key(self) -> str: ...

    @property
    def hints(self) -> tuple[str, ...]: ...


def hints_shown(task: Task) -> int:
    """How many hints of a task the student has seen."""
    return _entry(task)[0]


def next_hint(task: Task, code: str = "", *, more: bool) -> tuple[int, bool]:
    """Show another hint after another try, or with `more`.

    Args:
        task: what it is for.
        code: the student's code, or its digest. Another one than last time counts as another try.

    Returns:
        (how many hints to show now, whether the last of them is new)
    """
    before, code_before = _entry(task)
    is_new = before < len(task.hints) and (more or before == 0 or code != code_before)
    number = before + is_new
    entry = {"shown": number, "code": code if is_new else code_before}
    state.write(_STATE, {**state.read(_STATE), task.key: entry})
    return number, is_new


def _entry(task: Task) -> tuple[int, str]:
    entry = state.read(_STATE).get(task.key)
    if not isinstance(entry, dict) or entry.get("shown") not in range(1, len(task.hints) + 1):
        return 0, ""
    return entry["shown"], entry.get("code", "")
