"""Runs suites on the student's files, in the Python of the page's worker.

`handle` gets a message from the page and answers through `post`, both in JSON. "files" are the student's, path -> text:

    {"do": "run", "files": …, "module": "04"}                {"line": …} for each line of record.py, {"called": …}

Every other message goes to the hook `page_answers`, with a function that posts.

The reports are those of a terminal: a failed test's record comes with the rows of its screen. The page ends a worker
that is silent for too long, and then shows one of the reports that `start` sends.
"""

import io
import json
import linecache
import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import js
import pytest

from coach.common.course_file import hook
from coach.common.paths import REPOSITORY, is_own_package
from coach.exercises import modules
from coach.testing.calls import History
from coach.testing.limits import Guard, Limits
from coach.testing.observation import StudentFailure
from coach.testing.plugin import CoursePlugin
from coach.testing.record import TestRecord, read_as
from coach.testing.report import Row, ended_program, never_returned, next_step
from coach.testing.student_code import is_student_file
from coach.testing.suite_process import run_suites

PAGE_LIMITS = Limits(seconds=8.0, seconds_again=0.6)
"""Twice the limits of a terminal, because a browser's Python takes two to three times as long."""

Message = dict[str, Any]


def post(message: Message) -> None:
    js.postMessage(json.dumps(message))


def start() -> None:
    """Say that the worker is ready, with the reports to show when the worker had to be ended."""
    where = ", in FUNCTION"
    reports = {"never": never_returned(where), "exit": ended_program("HOW", where)}
    post({"ready": {how: _rows(TestRecord("TEST::", "failed", report=report)) for how, report in reports.items()}})


def _rows(record: TestRecord) -> list[Row]:
    """Return the rows of a failed test. The page says by itself what to do, and shows all that the code printed."""
    return next_step(replace(record, printed=""))[:-1]


# --- suites -----------------------------------------------------------------------------------------------------------


class PageHistory(History):
    """Announces each function before it is called, because a call that never returns cannot be named later."""

    def next_number(self, key: str) -> int:
        post({"called": key})
        return super().next_number(key)


class PagePlugin(CoursePlugin):
    """Sends the lines of a run to the page, with everything that its screen shows."""

    def __init__(self) -> None:
        super().__init__(io.StringIO())
        self.history = PageHistory(self.diagnose)
        self.guard = Guard(is_student_file, PAGE_LIMITS)

    def write(self, line: Message) -> None:
        failed = line.get("not loaded", line)
        if failed.get("outcome") == "failed":
            failed |= {"rows": _rows(read_as(TestRecord, failed))}
        post({"line": line})

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self) -> Iterator[None]:
        """Skip a test that needs a package of the installation."""
        try:
            return (yield)
        except (ImportError, StudentFailure) as error:
            missing = error.__cause__ if isinstance(error, StudentFailure) else error
            # An import that is missing in the student's own code is a failure like any other.
            if isinstance(missing, ImportError) and (missing is error or is_own_package(missing.name or "")):
                pytest.skip(f"needs {missing.name}")
            raise


def run(module: str) -> None:
    """Run the suite of a module in the order of its exercises. A failing test ends its group."""
    suite = modules()[module].suite
    arguments = ["--quiet", "--no-header", "--tb=short", "--color=no", "--stop-groups"]
    run_suites([*arguments, *(f"{suite}::{group}" for group in modules()[module].groups)], PagePlugin())


# --- messages ---------------------------------------------------------------------------------------------------------


def use(files: dict[str, str]) -> None:
    """Write the student's files, and forget the modules that were imported from earlier ones."""
    os.chdir(REPOSITORY)
    for path, text in files.items():
        Path(path).write_text(text, encoding="utf-8")
    for module in modules().values():
        sys.modules.pop(module.import_name, None)
        if package := sys.modules.get(module.package):
            for name in (*module.public_names, module.file):
                vars(package).pop(name, None)
    for name in [name for name in sys.modules if name.startswith("tests.")]:
        del sys.modules[name]
    linecache.clearcache()


def handle(message: str) -> None:
    """Do what a message from the page asks for."""
    asked = json.loads(message)
    do, files = asked.pop("do"), asked.pop("files")
    use(files)
    if do == "run":
        run(**asked)
    elif answer := hook("page_answers"):
        answer(do, asked, post)
