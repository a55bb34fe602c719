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
import importlib.util
import json
import os
import sys
import tempfile
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

os.environ["G2C_SOLUTIONS"] = "all"

from g2c.course.diagnosis import bank
from g2c.course.diagnosis.make import run_quietly
from g2c.course.diagnosis.slips import kind_of
from g2c.course.diagnosis.table import table_of
from g2c.course.exercises import Module, modules


def replace_in_package(module: Module, names: dict[str, Any]) -> None:
    """Make a module's package export these classes and functions in place of the answer key's."""
    package = import_module(module.package)
    for name in names.keys() & set(module.public_names):
        setattr(package, name, names[name])


def names_of(path: Path) -> dict[str, Any]:
    """Import a file under a name that no other file has."""
    name = f"submission_{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec and spec.loader
    loaded = importlib.util.module_from_spec(spec)
    sys.modules[name] = loaded
    spec.loader.exec_module(loaded)
    return vars(loaded)


def run(solution: str, first: bool) -> list[dict]:
    """What the suite of the solution's module says of it, one dictionary a test."""
    path = Path(solution).resolve()
    module, groups = modules()[path.parent.name], ()
    if path.suffix == ".py":
        names = names_of(path)
    else:
        entry = bank.entry(module.id, path.name)
        names, groups = entry.solution(), entry.groups if first else ()
    replace_in_package(module, names)
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.jsonl"
        run_quietly(module, [f"--course-report={report}", *(["--exitfirst"] if first else [])], groups)
        records = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    return [record for record in records if "test" in record]


@cache
def warm_up(module_id: str) -> None:
    """Import and read what every run of a module's suite, and every diagnosis, imports and reads."""
    bank.entries(module_id)[0].solution()
    table_of(modules()[module_id])
    kind_of(ValueError("of no slip"))
    run_quietly(modules()[module_id], ["--collect-only"])


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
