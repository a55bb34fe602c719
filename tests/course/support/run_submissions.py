"""Run student suites against other people's code: the mistake bank, and right answers written in another way.

    python tests/course/support/run_submissions.py [--first] [-k EXPRESSION] [SOLUTION...]

A SOLUTION is a wrong solution of the bank, such as 04/decode_strict, or a Python file in a folder named like its module
("04"), which defines some of that module's public names; the answer key provides the rest. Without any, standard input
names one a line. Prints one JSON object for each: the solution as it was named, and "tests", what `--course-report`
says of each test, or a sentence when it could not be run.
With --first a run ends at its first failure, and that of a wrong solution begins at its exercise; -k selects
tests as pytest does. Sets G2C_SOLUTIONS itself, so it has to be a process of its own. Each solution runs in a fork of
this process, which has imported everything once: nothing that it leaves behind reaches the next.
"""

import argparse
import json
import os
import sys
import tempfile
from functools import cache
from pathlib import Path

os.environ["G2C_SOLUTIONS"] = "all"
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"

from g2c.course.diagnosis import bank
from g2c.course.exercises import Module, modules
from g2c.grading.trusted import in_place_of_the_key, run_suite


def run(solution: str, options: list[str], first: bool) -> list[dict]:
    """What the suite of the solution's module says of it, one dictionary a test."""
    with in_place_of_the_key(solution) as module, tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.jsonl"
        groups = groups_from_its_exercise(module, solution) if first else ()
        run_suite(module, [f"--course-report={report}", *options], groups=groups)
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


def answer(solution: str, options: list[str], first: bool) -> None:
    try:
        tests: list[dict] | str = run(solution, options, first)
    except (Exception, SystemExit) as error:
        tests = f"{solution} could not be run: {error!r}"
    print(json.dumps({"solution": solution, "tests": tests}), flush=True)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", action="store_true")
    parser.add_argument("-k", metavar="EXPRESSION", default="")
    parser.add_argument("solutions", nargs="*", metavar="SOLUTION")
    asked = parser.parse_args()
    options = ["-k", asked.k, *(["--exitfirst"] if asked.first else [])]
    for solution in asked.solutions or map(str.rstrip, iter(sys.stdin.readline, "")):
        warm_up(Path(solution).resolve().parent.name)
        process = os.fork()
        if process == 0:
            answer(solution, options, asked.first)
            os._exit(0)
        _, status = os.waitpid(process, 0)
        if status:
            sys.exit(f"{solution} ended the process.")


if __name__ == "__main__":
    main()
