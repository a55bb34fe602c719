"""Run student suites against other people's code: the mistake bank, and right answers written in another way.

    python tests/course/support/run_submissions.py [--first]

Each line of standard input names a solution: a wrong solution of the bank, such as 04/decode_strict, or a Python file
in a folder named like its module ("04"), which defines some of that module's public names; the answer key provides the
rest. The answer is a line of JSON: what `--course-report` says of each test, or a sentence when it could not be run.
With --first a run ends at its first failure, and that of a wrong solution begins at its exercise.

Sets G2C_SOLUTIONS itself, so it has to be a separate process. Each solution runs in a fork of this process, in which
pytest has started and everything is imported: nothing that it leaves behind reaches the next.
"""

import argparse
import io
import json
import os
import sys
from functools import cache
from importlib import import_module
from pathlib import Path
from runpy import run_path
from typing import Any

import pytest

os.environ["G2C_SOLUTIONS"] = "all"

from coach.diagnosis import bank
from coach.diagnosis.make import run_quietly
from coach.diagnosis.slips import kind_of
from coach.diagnosis.table import table_of
from coach.exercises import Module, modules
from coach.testing.plugin import CoursePlugin


def replace_in_package(module: Module, names: dict[str, Any]) -> None:
    """Make a module's package export these classes and functions in place of the answer key's."""
    package = import_module(module.package)
    for name in names.keys() & set(module.public_names):
        setattr(package, name, names[name])


def use(solution: str, first: bool) -> list[str]:
    """Put a solution in the place of the answer key's code. Returns the tests to run."""
    path = Path(solution).resolve()
    module, groups = modules()[path.parent.name], ()
    if path.suffix == ".py":
        names = run_path(str(path))
    else:
        entry = bank.entry(module.id, path.name)
        names, groups = entry.solution(), entry.groups if first else ()
    replace_in_package(module, names)
    # A suite takes its names from the package when it is imported, so it is imported again.
    for name in [name for name, one in sys.modules.items() if getattr(one, "__file__", "") == str(module.suite_file)]:
        del sys.modules[name]
    return [f"{module.suite_file}::{group}" for group in groups] or [str(module.suite_file)]


@cache
def warm_up(module_id: str) -> None:
    """Import and read what every run of a module's suite, and every diagnosis, imports and reads."""
    bank.entries(module_id)[0].solution()
    table_of(modules()[module_id])
    kind_of(ValueError("of no slip"))
    run_quietly(modules()[module_id], ["--collect-only"])


class Submissions(CoursePlugin):
    """Runs the tests of each solution in a fork; `answer` says why one could not be run."""

    def __init__(self, first: bool) -> None:
        super().__init__(io.StringIO())
        self.first, self.answer = first, ""
        # pytest has another standard input for the tests.
        self.asked = os.fdopen(os.dup(0))

    @pytest.hookimpl(tryfirst=True)
    def pytest_collection(self, session: pytest.Session) -> None:
        for solution in map(str.rstrip, iter(self.asked.readline, "")):
            warm_up(Path(solution).parent.name)
            process = os.fork()
            if process == 0:
                try:
                    session.config.args = use(solution, self.first)
                except (Exception, SystemExit) as error:
                    self.answer = f"{solution} could not be run: {error!r}"
                    session.config.args = []
                return
            _, status = os.waitpid(process, 0)
            if status:
                os._exit(1)
        os._exit(0)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", action="store_true")
    asked = parser.parse_args()
    plugin = Submissions(asked.first)
    run_quietly(modules()["04"], ["--exitfirst"] if asked.first else [], plugin=plugin)
    records = map(json.loads, plugin.report_file.getvalue().splitlines())
    print(json.dumps(plugin.answer or [record for record in records if "test" in record]), flush=True)
    os._exit(0)


if __name__ == "__main__":
    main()
