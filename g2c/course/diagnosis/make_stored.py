"""Makes the file with the outcomes of a module's wrong solutions for a release without answers; see stored.py.

python -m g2c.course.diagnosis.make_stored 04      prints the file for module 04, and needs the bank
"""

import contextlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import astuple, replace
from importlib import import_module
from multiprocessing import get_context
from typing import Any

from g2c.common.answer_key import VARIABLE
from g2c.course.diagnosis.bank import Entry, entries, entry
from g2c.course.diagnosis.outcomes import Outcome, Replay, outcome_of
from g2c.course.diagnosis.stored import StoredCall, name_of
from g2c.course.exercises import Module, modules
from g2c.course.testing.observation import Observation, StudentFailure
from g2c.course.testing.plugin import CoursePlugin
from g2c.course.testing.suite_process import run_suites

CALLS_BEFORE = 3


def make(module: Module) -> dict[str, Any]:
    """Compute the file's content. It uses the answer key, so G2C_SOLUTIONS must be set in this process."""
    # Everything that a suite imports is imported once, here.
    run_quietly(module, ["--collect-only"])
    calls: dict[str, StoredCall] = {}
    # Each wrong solution runs in a fork of this process.
    with get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        for rows in pool.imap(_first_failure, [(module.id, wrong.name) for wrong in entries(module.id)]):
            calls |= rows
    mistakes = {
        one.name: [*astuple(one.mistake)[:4], one.exercise.qualified_name, one.caught_by] for one in entries(module.id)
    }
    return {"mistakes": mistakes, "calls": calls}


def _first_failure(name: tuple[str, str]) -> dict[str, StoredCall]:
    """Return what is stored for the first failing call of a wrong solution, as a whole and as the test looked at it.
    Calls before it in the test are stored too, as they may have given it wrong arguments."""
    wrong, recorder = entry(*name), _Recorder(explains=False)
    module = wrong.exercise.module
    replace_in_package(module, wrong.solution())
    run_quietly(module, ["--exitfirst"], wrong.groups, recorder)
    if recorder.seen is None:
        return {}
    seen, call = recorder.seen, recorder.seen.call
    whole = replace(seen, part="", unseen="", result=call.effect.value, look=Observation.look)
    before = [Observation(one, one.effect.value) for one in call.before(call.history.test_began)[:CALLS_BEFORE]]
    replay = Replay(module)
    return {name_of(each): _row(each, wrong, replay) for each in (*before, whole, seen)}


def _row(seen: Observation, wrong: Entry, replay: Replay) -> StoredCall:
    exercises = sorted(replay.exercises_of(seen) & {known.exercise.qualified_name for known in replay.known})
    right = _written(replay.outcome(seen, None))
    outcomes: dict[str, list[str]] = {right: []}
    for known in replay.known:
        outcome = outcome_of(seen) if known.name == wrong.name else replay.outcome(seen, known.name)
        if known.exercise.qualified_name in exercises and _written(outcome) != right:
            outcomes.setdefault(_written(outcome), []).append(known.name)
    return exercises, outcomes


def _written(outcome: Outcome | None) -> str:
    return " ".join([outcome.left, *sorted(outcome.seen)]) if outcome else ""


def replace_in_package(module: Module, names: Mapping[str, Any]) -> None:
    """Make a module's package export these classes and functions in place of the answer key's."""
    package = import_module(module.package)
    for name in names.keys() & set(module.public_names):
        setattr(package, name, names[name])


def run_quietly(
    module: Module, options: Sequence[str], groups: Sequence[str] = (), plugin: CoursePlugin | None = None
) -> None:
    """Run a module's suite, or some of its groups, in this process and without output."""
    # A suite takes its names from the package when it is imported, so it is imported again.
    for name, loaded in list(sys.modules.items()):
        if getattr(loaded, "__file__", None) == str(module.suite_file):
            del sys.modules[name]
    wanted = [f"{module.suite_file}::{group}" for group in groups] or [str(module.suite_file)]
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        run_suites(["--quiet", "--tb=no", "--assert=plain", *options, *wanted], plugin)


class _Recorder(CoursePlugin):
    seen: Observation | None = None

    def pytest_exception_interact(self, call: Any) -> None:
        error = call.excinfo.value
        if self.seen is None and isinstance(error, StudentFailure):
            self.seen = error.observation


def main(module_id: str) -> None:
    module = modules()[module_id]
    os.environ[VARIABLE] = module.keys
    json.dump(make(module), sys.stdout, indent=0)


if __name__ == "__main__":
    main(sys.argv[1])
