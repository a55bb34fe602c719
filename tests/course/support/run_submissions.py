"""Run student suites against other people's code: the mistake bank, and right answers written in another way.

    python tests/course/support/run_submissions.py [--first]

Each line of standard input names a solution: a wrong solution of the bank, such as 04/decode_strict, or a Python file
in a folder named like its module ("04"), which defines some of that module's public names; the answer key provides the
rest. The answer is a line of JSON: what `--course-report` says of each test, or a sentence when it could not be run.
With --first a run ends at its first failure, and that of a wrong solution begins at its exercise.

Sets G2C_SOLUTIONS itself, so it has to be a separate process. Each solution runs in a fork of this process, which has
imported everything once: nothing that it leaves behind reaches the next.
"""

import argparse
import contextlib
import importlib.util
import json
import os
import sys
import tempfile
from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

os.environ["G2C_SOLUTIONS"] = "all"

from g2c.course.diagnosis import bank
from g2c.course.exercises import Module, modules
from g2c.course.suite_process import run_suites


def put_in_place_of_the_key(solution: str) -> Module:
    """Make the package of the module that a solution belongs to hand out what the solution defines."""
    path = Path(solution).resolve()
    module = modules()[path.parent.name]
    names = names_of(path) if path.suffix == ".py" else bank.entry(module.id, path.name).solution()
    package = import_module(module.package)
    for name in names.keys() & set(module.public_names):
        setattr(package, name, names[name])
    return module


def names_of(path: Path) -> dict[str, Any]:
    """Import a file under a name that no other file has."""
    name = f"submission_{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    spec.loader.exec_module(loaded)
    return vars(loaded)


def run_suite(module: Module, options: Sequence[str], groups: Sequence[str] = ()) -> None:
    """Run a module's suite, or some of its groups, in this process and without output."""
    # The suite takes its names from the package when it is imported, so it has to be imported anew.
    for name, loaded in list(sys.modules.items()):
        if getattr(loaded, "__file__", None) == str(module.suite_file):
            del sys.modules[name]
    wanted = [f"{module.suite_file}::{group}" for group in groups] or [str(module.suite_file)]
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere):
        run_suites([*wanted, "-q", "--tb=no", "--assert=plain", *options])


def run(solution: str, first: bool) -> list[dict]:
    """What the suite of the solution's module says of it, one dictionary a test."""
    module = put_in_place_of_the_key(solution)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.jsonl"
        options = [f"--course-report={report}", *(["--exitfirst"] if first else [])]
        run_suite(module, options, groups=groups_from_its_exercise(module, solution) if first else ())
        records = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    return [record for record in records if "test" in record]


def groups_from_its_exercise(module: Module, solution: str) -> tuple[str, ...]:
    """The test groups that a wrong solution of the bank can fail in; none for a file, which may define anything."""
    if solution.endswith(".py"):
        return ()
    first = bank.entry(module.id, Path(solution).name).exercise.groups[0]
    return module.groups[module.groups.index(first) :]


@cache
def warm_up(module_id: str) -> None:
    """Import what every run of a module's suite imports."""
    bank.entries(module_id)
    run_suite(modules()[module_id], ["--collect-only"])


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", action="store_true")
    asked = parser.parse_args()
    for solution in map(str.rstrip, iter(sys.stdin.readline, "")):
        warm_up(Path(solution).parent.name)
        process = os.fork()
        if process == 0:
            try:
                answer: list[dict] | str = run(solution, asked.first)
            except (Exception, SystemExit) as error:
                answer = f"{solution} could not be run: {error!r}"
            print(json.dumps(answer), flush=True)
            os._exit(0)
        _, status = os.waitpid(process, 0)
        if status:
            sys.exit(f"{solution} ended the process.")


if __name__ == "__main__":
    main()
