"""Runs student suites, each in its own process.

Two entry points:

    results = results_of_all_modules()    every module; unchanged ones come from the results stored in .g2c/
    with SuiteRun(module) as run:         one suite, in the background: run.wait(), run.result()
"""

import contextlib
import hashlib
import importlib.util
import os
import re
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from g2c.common import paths
from g2c.common.answer_key import VARIABLE
from g2c.common.paths import display_path
from g2c.course.commands import state
from g2c.course.exercises import LIST, Exercise, Module, modules, modules_with_key
from g2c.course.testing.record import TestRecord, as_json, group_of, read_as, read_lines
from g2c.course.testing.report import Report, ended_program, never_returned

STACK = re.compile(r'^  File "(?P<file>.+)", line (?P<line>\d+) in (?P<function>.+)$', re.MULTILINE)
"""A line of the stack as `faulthandler` writes it."""


@dataclass(frozen=True)
class ModuleResult:
    """Holds the tests of a module that ran, in the order of its groups; none if its suite did not run."""

    module: Module
    tests: tuple[TestRecord, ...] = ()
    error: TestRecord | None = None
    totals: Mapping[str, int] = field(default_factory=dict)
    """Test group -> number of its tests, whether they ran or not."""

    def passes(self, exercise: Exercise | Module) -> bool:
        """Tell whether every test group of an exercise, or of a module, ran without a failure."""
        outcomes = {(test.group, test.outcome) for test in self.tests}
        return all((group, "passed") in outcomes and (group, "failed") not in outcomes for group in exercise.groups)

    @property
    def complete(self) -> bool:
        """Tell whether all of the module's groups ran without a failure."""
        return not self.error and self.passes(self.module)

    @property
    def passing_exercises(self) -> int:
        return sum(map(self.passes, self.module.exercises))

    def passed_of_all(self, exercise: Exercise) -> tuple[int, int]:
        """Count the passed tests of an exercise, and all its tests. Tests after a failed one may not have run."""
        passed = sum(test.group in exercise.groups and test.outcome == "passed" for test in self.tests)
        return passed, max(passed, sum(self.totals.get(group, 0) for group in exercise.groups))

    @property
    def first_failure(self) -> TestRecord | None:
        return next((test for test in self.tests if test.outcome == "failed"), None)

    @property
    def next_exercise(self) -> Exercise | None:
        """Return the exercise of the first failing test, else the first that does not pass; None if there is none."""
        if self.error:
            return None
        failure = self.first_failure
        if failure and (exercise := self.module.exercise_of(failure.group)):
            return exercise
        return next((exercise for exercise in self.module.exercises if not self.passes(exercise)), None)


class SuiteRun:
    """Runs a suite in the background, from the beginning of the `with` block to its end at the latest.

    The process starts when the object is made, and waits: an object made in advance begins testing sooner.
    """

    def __init__(self, module: Module, *, to_first_failure: bool = False) -> None:
        self.module = module
        self._folder = tempfile.TemporaryDirectory(prefix="g2c-")
        self._report = Path(self._folder.name) / "report.jsonl"
        self._output = open(Path(self._folder.name) / "output.txt", "w+b")
        command = [sys.executable, "-m", "g2c.course.testing.suite_process", f"--course-report={self._report}"]
        # pytest's temporary folders go with this one.
        command += [f"--basetemp={self._folder.name}/tests", "--quiet", "--no-header", "--tb=short", "--color=no"]
        command.append("--exitfirst" if to_first_failure else "--stop-groups")
        command += [f"{module.suite}::{group}" for group in module.groups]
        self._process = subprocess.Popen(
            command,
            cwd=paths.REPOSITORY,
            env=paths.environment(COLUMNS="100"),
            stdin=subprocess.PIPE,
            stdout=self._output,
            stderr=subprocess.STDOUT,
        )
        self._input: Any = self._process.stdin

    def __enter__(self) -> "SuiteRun":
        # Python reuses cached bytecode if the file's time (in seconds) and length match: if a file was saved twice
        # within a second, its first version would be tested.
        Path(importlib.util.cache_from_source(self.module.exercise_file)).unlink(missing_ok=True)
        with contextlib.suppress(BrokenPipeError), self._input:
            self._input.write(b"begin\n")
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            self._input.close()
        self._process.kill()
        self._process.wait()
        self._output.close()
        self._folder.cleanup()

    def wait(self, seconds: float | None = None) -> bool:
        """Wait until the run has ended, for `seconds` at most, and return whether it has."""
        try:
            self._process.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            return False
        return True

    def result(self) -> ModuleResult:
        """Return the results so far. A test that ended the process has failed."""
        lines = read_lines(self._report)
        tests: dict[str, TestRecord] = {}
        for record in (read_as(TestRecord, line) for line in lines if "test" in line):
            if record.test not in tests or tests[record.test].outcome != "failed":
                tests[record.test] = record
        totals = Counter(group_of(line["collected"]) for line in lines if "collected" in line)
        error = None
        if lines and "started" in lines[-1]:
            test = lines[-1]["started"]
            tests[test] = TestRecord(test, "failed", report=self._how_it_ended())
        elif not tests or self._process.returncode not in (0, 1):
            refused = (read_as(TestRecord, line["not loaded"]) for line in lines if "not loaded" in line)
            text = self._printed() or f"pytest ended with exit code {self._process.returncode}."
            printed = TestRecord(self.module.suite, "failed", report=Report(message=text))
            error = next(refused, printed)
        return ModuleResult(self.module, tuple(tests.values()), error, totals)

    def _how_it_ended(self) -> Report:
        output = self._printed()
        files = (str(self.module.exercise_file), str(self.module.key_file))
        inside = next((found for found in STACK.finditer(output) if found["file"] in files), None)
        where = f", in {inside['function']}, {display_path(inside['file'])}, line {inside['line']}" if inside else ""
        if "Timeout (" in output:
            return never_returned(where)
        code = self._process.returncode or 0
        return ended_program(f"exit code {code}" if code >= 0 else signal.Signals(-code).name, where)

    def _printed(self) -> str:
        self._output.seek(0)
        return self._output.read().decode("utf-8", errors="replace")


def results_of_all_modules(
    *, stop_early: bool = False, on_run: Callable[[Module], None] | None = None
) -> list[ModuleResult]:
    """Return the results of every module. Suites run only if anything that they test has changed since their last run.

    With `stop_early`, no suite runs after the first incomplete module. `on_run` is called before each run.
    """
    modules_with_key()
    fingerprint = _fingerprint()
    stored = state.read("results")
    entries = stored["modules"] if stored.get("fingerprint") == fingerprint else {}
    results: list[ModuleResult] = []
    for module in modules().values():
        if stop_early and results and not results[-1].complete:
            results.append(ModuleResult(module))
        elif entry := entries.get(module.id):
            tests = tuple(read_as(TestRecord, test) for test in entry["tests"])
            results.append(ModuleResult(module, tests, totals=entry["totals"]))
        else:
            if on_run:
                on_run(module)
            with SuiteRun(module) as run:
                run.wait()
                result = run.result()
            results.append(result)
            if not result.error:
                entries[module.id] = {"tests": [as_json(test) for test in result.tests], "totals": result.totals}
    if _fingerprint() == fingerprint:
        # Otherwise a file was saved while tests ran.
        state.write("results", fingerprint=fingerprint, modules=entries)
    return results


def _fingerprint() -> str:
    """Return a hash of everything that results depend on: g2c, the suites, and the choice of code under test."""
    digest = hashlib.sha256(f"{sys.version} {os.environ.get(VARIABLE, '')}".encode())
    suites = (module.suite_file for module in modules().values())
    for path in (*sorted((paths.REPOSITORY / "g2c").rglob("*.py")), LIST, paths.REPOSITORY / "pyproject.toml", *suites):
        digest.update(f"{path}\0".encode())
        digest.update(path.read_bytes() if path.is_file() else b"missing")
    return digest.hexdigest()
