"""The worker of a page in Node.js, and the course that is in the page as a folder, for runs in a terminal."""

import json
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from coach.common.packages import PackageError
from coach.exercises import modules
from coach.page import build
from coach.testing.record import TestRecord, read_as, read_lines
from coach.testing.report import next_step
from support.browsers import node

Failures = list[tuple[str, list[list[object]]]]

SCRIPT = Path(__file__).with_name("page_worker.mjs")


class PageWorker:
    """The worker of a page. Use it in a `with` block, which ends it."""

    def __init__(self, page: Path) -> None:
        self.process = subprocess.Popen(
            [node(), SCRIPT, page], stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )
        self.ready = self._next()["ready"]

    def __enter__(self) -> "PageWorker":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def _next(self) -> dict[str, Any]:
        return json.loads(self.process.stdout.readline())

    def asked(self, **message: Any) -> list[dict[str, Any]]:
        """What the worker posts for a message."""
        self.process.stdin.write(json.dumps({"files": {}, **message}) + "\n")
        self.process.stdin.flush()
        posted = [self._next()]
        while not posted[-1].keys() & {"free", "ended", "failed"}:
            posted.append(self._next())
        return posted

    def lines(self, module_id: str, text: str, file: str | None = None) -> list[dict[str, Any]]:
        """The lines of a run of a module's tests with this exercise file."""
        posted = self.asked(do="run", module=module_id, files={file or modules()[module_id].exercise_path: text})
        lines = [message["line"] for message in posted if "line" in message]
        return [line.get("not loaded", line) for line in lines]

    def failures(self, *module_and_file: str) -> Failures:
        """The failed tests of such a run: their IDs, and the rows of their screens."""
        lines = self.lines(*module_and_file)
        return [(line["test"], line["rows"]) for line in lines if line.get("outcome") == "failed"]


def failures_in_a_terminal(course: Path, module_id: str, text: str) -> Failures:
    """The same by a run in a process of its own, in a folder with the course of the page."""
    module, report = modules()[module_id], course / "report.jsonl"
    (course / module.exercise_path).write_text(text, encoding="utf-8")
    options = [f"--course-report={report}", "--quiet", "--tb=short", "--stop-groups"]
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("G2C_", "PYTEST_", "CI"))}
    subprocess.run(
        [sys.executable, "-m", "coach.testing.suite_process", *options]
        + [f"{module.suite}::{group}" for group in module.groups],
        cwd=course,
        env={**kept, "PYTHONPATH": str(course), "PYTHONDONTWRITEBYTECODE": "1"},
        input="begin\n",
        encoding="utf-8",
        capture_output=True,
    )
    found = []
    for line in read_lines(report):
        line = line.get("not loaded", line)
        if line.get("outcome") == "failed":
            record = read_as(TestRecord, line)
            found.append((record.test, [list(row) for row in next_step(replace(record, printed=""))[:-1]]))
    return found


def page_folder() -> Path:
    """A folder with the page. Tests are skipped, with a sentence, where it cannot be built."""
    folder = build.PAGES / "tests"
    try:
        build.write_page(folder, build.offered_modules())
    except PackageError as error:
        pytest.skip(str(error))
    return folder
