"""Run student suites against other people's code: the mistake bank, and right answers written in another way.

    python tests/course/support/run_submissions.py [--first] [-k EXPRESSION] FILE...

A FILE lies in a folder named like its module ("04") and defines some of that module's public names; the answer key
stands in for the rest. Prints one JSON object a file: its path, and "tests", what `--course-report` says of each test,
or a sentence when the file could not be run.
With --first a run ends at its first failure; -k selects tests as pytest does. Sets G2C_SOLUTIONS itself, so it has to
be a process of its own.
"""

import argparse
import contextlib
import importlib.util
import json
import os
import sys
import tempfile
from importlib import import_module
from pathlib import Path

os.environ["G2C_SOLUTIONS"] = "all"
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"

import pytest

from g2c.common.paths import REPOSITORY
from g2c.course.exercises import Module, modules

QUICKLY = ["-p", "pytest_timeout", "-p", "no:cacheprovider", "-p", "no:unraisableexception", "--assert=plain"]


def load(path: Path):
    """Import a file under a name of its own."""
    name = f"submission_{path.parent.name}_{path.stem}"
    spec = importlib.util.spec_from_file_location(name, path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def run(path: Path, options: list[str]) -> list[dict]:
    """What the suite of the file's module says of it, one dictionary a test."""
    module = modules()[path.parent.name]
    submission = load(path)
    package = import_module(module.package)
    originals = {name: getattr(package, name) for name in module.public_names}
    try:
        for name in module.public_names:
            setattr(package, name, getattr(submission, name, originals[name]))
        return run_suite(module, options)
    finally:
        for name, value in originals.items():
            setattr(package, name, value)


def run_suite(module: Module, options: list[str]) -> list[dict]:
    # The suite takes its names from the package when it is imported, so it has to be imported anew.
    for name, loaded in list(sys.modules.items()):
        if getattr(loaded, "__file__", None) == str(module.suite_file):
            del sys.modules[name]
    with tempfile.TemporaryDirectory() as folder, open(os.devnull, "w") as nowhere:
        report = Path(folder) / "report.jsonl"
        arguments = [str(module.suite_file), f"--rootdir={REPOSITORY}", "-q", "--tb=no", *QUICKLY]
        with contextlib.redirect_stdout(nowhere):
            pytest.main([*arguments, f"--course-report={report}", *options])
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
