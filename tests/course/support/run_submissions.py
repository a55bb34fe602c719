"""Run student suites against other people's code: the mistake bank, and right answers written in another way.

    python tests/course/support/run_submissions.py [--first] [-k EXPRESSION] FILE...

A FILE lies in a folder named like its module ("04") and defines some of that module's public names; the answer key
stands in for the rest. Prints one JSON object a file: its path, and "tests", what `--course-report` says of each test,
or a sentence when the file could not be run.
With --first a run ends at its first failure; -k selects tests as pytest does. Sets G2C_SOLUTIONS itself, so it has to
be a process of its own.
"""

import argparse
import json
import os
import tempfile
from pathlib import Path

os.environ["G2C_SOLUTIONS"] = "all"
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"

from g2c.grading.trusted import in_place_of_the_key, run_suite


def run(path: Path, options: list[str]) -> list[dict]:
    """What the suite of the file's module says of it, one dictionary a test."""
    with in_place_of_the_key(path) as module, tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.jsonl"
        run_suite(module, [f"--course-report={report}", *options])
        records = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    return [record for record in records if "test" in record]


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--first", action="store_true")
    parser.add_argument("-k", metavar="EXPRESSION", default="")
    parser.add_argument("files", nargs="+", metavar="FILE")
    asked = parser.parse_args()
    options = ["-k", asked.k, *(["--exitfirst"] if asked.first else [])]
    for file in asked.files:
        try:
            answer = {"tests": run(Path(file).resolve(), options)}
        except (Exception, SystemExit) as error:
            answer = {"tests": f"{file} could not be run: {error!r}"}
        print(json.dumps({"file": file, **answer}), flush=True)


if __name__ == "__main__":
    main()
