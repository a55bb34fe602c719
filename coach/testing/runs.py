"""Runs a student suite in a process of its own.

with SuiteRun(module) as run:     the process prints the one screen (one_screen.py)
    run.wait()
    record = run.broken()         how the process ended, if it printed no screen
"""

import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

from coach.common import paths
from coach.common.paths import display_path
from coach.exercises import Module
from coach.testing.record import read_as, read_lines
from coach.testing.report import Report, TestRecord, ended_program, never_returned

STACK = re.compile(r'^  File "(?P<file>.+)", line (?P<line>\d+) in (?P<function>.+)$', re.MULTILINE)
"""A line of the stack as `faulthandler` writes it."""


class SuiteRun:
    """Runs the groups of a suite in order, each to its first failure, until the end of the `with` block at the latest.

    Args:
        module: whose suite runs.
        shown: whether the process prints its screen.
    """

    def __init__(self, module: Module, *, shown: bool = True) -> None:
        self.module, self.shown = module, shown

    def __enter__(self) -> "SuiteRun":
        self._folder = tempfile.TemporaryDirectory(prefix="g2c-")
        self._report, self._errors = (Path(self._folder.name) / name for name in ("report.jsonl", "errors.txt"))
        # Python reuses cached bytecode if the file's time (in seconds) and length match: if a file was saved twice
        # within a second, its first version would be tested.
        Path(importlib.util.cache_from_source(self.module.exercise_file)).unlink(missing_ok=True)
        command = [sys.executable, "-m", "coach.testing.suite_process", f"--course-report={self._report}"]
        # pytest's temporary folders go with this one.
        command += [f"--basetemp={self._folder.name}/tests", "--stop-groups"]
        command += [f"{self.module.suite}::{group}" for group in self.module.groups]
        sys.stdout.flush()
        with self._errors.open("wb") as errors:
            # In a process group of its own, which ends with everything that the student's code has started.
            self._process = subprocess.Popen(
                command,
                cwd=paths.REPOSITORY,
                env=paths.environment(CI=""),
                stdin=subprocess.DEVNULL,
                stdout=None if self.shown else subprocess.DEVNULL,
                stderr=errors,
                process_group=0,
            )
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        self._folder.cleanup()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the run has ended, for `seconds` at most, and return whether it has."""
        try:
            self._process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def broken(self) -> TestRecord | None:
        """Return the record of a test that ended the process, or of a suite that pytest could not run; else None."""
        lines = read_lines(self._report)
        if lines and "started" in lines[-1]:
            return TestRecord(lines[-1]["started"], "failed", report=self._how_it_ended())
        if self._process.returncode in (0, 1) or any("not loaded" in line for line in lines):
            return None
        text = self._said().strip() or f"pytest ended with exit code {self._process.returncode}."
        message = f"{self.module.suite} could not be run:\n{text}"
        return TestRecord(self.module.suite, "failed", report=Report(message=message))

    def failure(self) -> TestRecord | None:
        """Return the record of the first failure; None if the whole suite passes."""
        for line in read_lines(self._report):
            line = line.get("not loaded", line)
            if line.get("outcome") == "failed":
                record: TestRecord = read_as(TestRecord, line)
                return record
        return self.broken()

    def _how_it_ended(self) -> Report:
        said = self._said()
        files = (str(self.module.exercise_file), str(self.module.key_file))
        inside = next((found for found in STACK.finditer(said) if found["file"] in files), None)
        where = f", in {inside['function']}, {display_path(inside['file'])}, line {inside['line']}" if inside else ""
        if "Timeout (" in said:
            return never_returned(where)
        code = self._process.returncode or 0
        return ended_program(f"exit code {code}" if code >= 0 else signal.Signals(-code).name, where)

    def _said(self) -> str:
        return self._errors.read_text(encoding="utf-8", errors="replace")
