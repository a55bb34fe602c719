"""Run the student suites on code that is trusted, such as the mistake bank: one process for many files, no isolation.

    python -m g2c.grading.trusted SOLUTION...

A SOLUTION is a wrong solution of the mistake bank, such as 04/decode_strict, or a Python file. The file lies in a
folder named like its module ("04") and defines some of that module's public names; the answer key provides the rest.
Prints one JSON object for each: the solution as it was named, and "records", which `g2c.grading.marks.Scheme` reads; or
"error", a sentence, when it could not be run.
With --all every test runs. Otherwise those are left out whose points are lost already, because a core test of their
group has failed or, for the groups that need the whole module, any test: the mark is the same. Failures are not
explained. Sets G2C_SOLUTIONS itself, so it has to be a process of its own.
"""

import argparse
import contextlib
import importlib.util
import json
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import hypothesis
import pytest
from hypothesis import Phase

from g2c.common.answer_key import VARIABLE
from g2c.common.paths import REPOSITORY
from g2c.course import teaching
from g2c.course.diagnosis import bank
from g2c.course.exercises import Module, modules
from g2c.course.runner import group_of
from g2c.grading.marks import CORE, Record, collected

QUICKLY = ("-p", "pytest_timeout", "-p", "no:cacheprovider", "-p", "no:unraisableexception", "--assert=plain")


def load(solution: str) -> tuple[Module, Mapping[str, Any]]:
    """The module that a solution belongs to, and the names that it defines."""
    path = Path(solution).resolve()
    module = modules()[path.parent.name]
    if path.suffix == ".py":
        return module, _names_of(path)
    return module, bank.entry(module.id, path.name).solution()


def _names_of(path: Path) -> dict[str, Any]:
    """Import a file under a name of its own."""
    name = f"submission_{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    spec.loader.exec_module(loaded)
    return vars(loaded)


@contextlib.contextmanager
def in_place_of_the_key(solution: str) -> Iterator[Module]:
    """The module that a solution belongs to, while its package hands out what the solution defines."""
    module, names = load(solution)
    package: Any = import_module(module.package)
    originals = {name: getattr(package, name) for name in module.public_names}
    try:
        for name in module.public_names:
            setattr(package, name, names.get(name, originals[name]))
        yield module
    finally:
        for name, value in originals.items():
            setattr(package, name, value)


def run_suite(
    module: Module, options: Sequence[str], plugins: Sequence[object] = (), groups: Sequence[str] = ()
) -> int:
    """Run a module's suite, or some of its groups, in this process and without output. Returns pytest's exit code."""
    # The suite takes its names from the package when it is imported, so it has to be imported anew.
    for name, loaded in list(sys.modules.items()):
        if getattr(loaded, "__file__", None) == str(module.suite_file):
            del sys.modules[name]
    wanted = [f"{module.suite_file}::{group}" for group in groups] or [str(module.suite_file)]
    arguments = [*wanted, f"--rootdir={REPOSITORY}", "-q", "--tb=no", *QUICKLY, *options]
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        return int(pytest.main(arguments, plugins=list(plugins)))


class Recorder:
    """The pytest plugin that keeps the records, and leaves out tests whose points are lost."""

    def __init__(self, module: Module, run_all: bool) -> None:
        self.module = module
        self.run_all = run_all
        self.records: list[Record] = []
        self.core: set[str] = set()
        self.lost: set[str] = set()

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        self.records += [collected(item) for item in session.items]
        self.core = {item.nodeid for item in session.items if item.get_closest_marker(CORE)}

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> bool | None:
        return True if not self.run_all and group_of(item.nodeid) in self.lost else None

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or not report.passed:
            self.records.append({"test": report.nodeid, "outcome": report.outcome, "message": ""})
        if report.failed:
            self.lost |= set(self.module.together)
            if report.nodeid in self.core:
                self.lost.add(group_of(report.nodeid))


def records_of(solution: str, run_all: bool) -> list[Record]:
    """What grading the solution would record."""
    with in_place_of_the_key(solution) as module:
        recorder = Recorder(module, run_all)
        code = run_suite(module, ["-m", "not in_process"], [recorder])
    return [*recorder.records, {"end": code}]


def main() -> None:
    """Print the records of the solutions named on the command line."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--all", action="store_true")
    parser.add_argument("solutions", nargs="+", metavar="SOLUTION")
    asked = parser.parse_args()
    os.environ[VARIABLE] = "all"
    os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    hypothesis.settings.register_profile("grading", phases=(Phase.explicit, Phase.generate))
    hypothesis.settings.load_profile("grading")
    changed: Any = teaching
    changed.diagnose = lambda outcome: None
    for solution in asked.solutions:
        answer: dict[str, Any]
        try:
            answer = {"records": records_of(solution, asked.all)}
        except (Exception, SystemExit) as error:
            answer = {"error": f"{solution} could not be run: {error!r}"}
        print(json.dumps({"solution": solution, **answer}), flush=True)


if __name__ == "__main__":
    main()
