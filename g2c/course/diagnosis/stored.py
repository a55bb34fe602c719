"""Outcomes of wrong solutions without their code, for a release without answers.

    python -m g2c.course.diagnosis.stored 04      prints the file for module 04; it needs the bank

Each wrong solution of the bank is tested by its module's suite up to its first failing call. What comes of this call,
and of those before it in the same test, on each of the others and on the answer key, is stored by hash:

    {"mistakes": {name: [mistake, why, pitfall, thought, exercise, test group]},
     "calls": {call: [[exercises that it goes through], {outcome: [names]}]}}

The first outcome of a call is the answer key's, and that of all wrong solutions that are not listed. A student's call
that is not stored shows nothing: what differs from the calls of every wrong solution, such as one after a second
mistake, is explained only where there is a bank.
"""

import contextlib
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from multiprocessing import get_context
from typing import Any

from g2c.common.answer_key import VARIABLE
from g2c.course.diagnosis.bank import Entry, Known, entries, entry
from g2c.course.diagnosis.outcomes import Outcome, digest, outcome_of, text_of
from g2c.course.diagnosis.replay import Replay
from g2c.course.exercises import BANK, Module, modules
from g2c.course.testing.calls import Call, Mistake, history
from g2c.course.testing.suite_process import run_suites

CALLS_BEFORE = 3
FILE = "outcomes.json"
"""In the folder of a module in mistakes/."""

Row = tuple[list[str], dict[str, list[str]]]
"""What is stored for a call."""


class Stored:
    """The wrong solutions of a module, and what comes of the stored calls on each of them."""

    def __init__(self, module: Module) -> None:
        path = BANK / module.id / FILE
        stored = json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"mistakes": {}, "calls": {}}
        self._calls: dict[str, Row] = stored["calls"]
        self.known = [Known(name, Mistake(*fields[:4]), *fields[4:]) for name, fields in stored["mistakes"].items()]

    def exercises_of(self, call: Call) -> frozenset[str]:
        return frozenset(self._row(call)[0])

    def outcome(self, call: Call, name: str | None) -> Outcome | None:
        _, outcomes = self._row(call)
        found = next((outcome for outcome, names in outcomes.items() if name in names), next(iter(outcomes), ""))
        if not found:
            return None
        left, *seen = found.split()
        return Outcome(left, frozenset(seen))

    def likeness(self, call: Call, name: str) -> float:
        """Unknown, as there is no code."""
        return 0.0

    def _row(self, call: Call) -> Row:
        return self._calls.get(_name_of(call), ([], {}))


def _name_of(call: Call) -> str:
    """The hash under which a call is stored: of the function, public attributes, arguments, and what is looked at."""
    state = {name: value for name, value in call.state.items() if not name.startswith("_")}
    return digest(text_of([call.key, state, call.args, call.kwargs, call.aspect, call.unseen], ordered=True))


# --- making them ------------------------------------------------------------------------------------------------------


def make(module: Module) -> dict[str, Any]:
    """What is stored for a module. Uses the answer key, so it needs a process with G2C_SOLUTIONS set."""
    # Whatever a suite imports is imported once, here.
    run_quietly(module, ["--collect-only"])
    calls: dict[str, Row] = {}
    # Each wrong solution runs in a fork of this process.
    with get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        for rows in pool.imap(_first_failure, [(module.id, wrong.name) for wrong in entries(module.id)]):
            calls |= rows
    known = [wrong.known for wrong in entries(module.id)]
    return {"mistakes": {one.name: [*one.mistake[:4], *one[2:]] for one in known}, "calls": calls}


def _first_failure(name: tuple[str, str]) -> dict[str, Row]:
    """What is stored for the first failing call of a wrong solution, as the test looked at it and as a whole.

    The calls before it in the same test are stored too: it may be right for what these have given it.

    Nothing where no call fails: the suite reports an endless loop, or an error outside a call.
    """
    wrong, recorder = entry(*name), _Recorder()
    replace_in_package(wrong.module, wrong.solution())
    run_quietly(wrong.module, ["--exitfirst"], wrong.groups, [recorder])
    if recorder.call is None:
        return {}
    whole = replace(
        recorder.call, aspect="", unseen="", result=recorder.call.returned, look=lambda result: result.value
    )
    earlier = [call for call in history.before(recorder.call)[:CALLS_BEFORE] if call.number > history.test_began]
    replay = Replay(wrong.module)
    return {_name_of(call): _row(call, wrong, replay) for call in (*earlier, whole, recorder.call)}


def _row(call: Call, wrong: Entry, replay: Replay) -> Row:
    exercises = sorted(replay.exercises_of(call) & {known.exercise for known in replay.known})
    right = _written(replay.outcome(call, None))
    outcomes: dict[str, list[str]] = {right: []}
    for known in replay.known:
        outcome = outcome_of(call) if known.name == wrong.name else replay.outcome(call, known.name)
        if known.exercise in exercises and _written(outcome) != right:
            outcomes.setdefault(_written(outcome), []).append(known.name)
    return exercises, outcomes


def _written(outcome: Outcome | None) -> str:
    return " ".join([outcome.left, *sorted(outcome.seen)]) if outcome else ""


def replace_in_package(module: Module, names: Mapping[str, Any]) -> None:
    """Make the package of a module provide these classes and functions in place of the answer key's."""
    package = import_module(module.package)
    for name in names.keys() & set(module.public_names):
        setattr(package, name, names[name])


def run_quietly(
    module: Module, options: Sequence[str], groups: Sequence[str] = (), plugins: Sequence[object] = ()
) -> None:
    """Run a module's suite, or some of its groups, in this process and without output."""
    # The suite takes its names from the package when it is imported, so it is imported again.
    for name, loaded in list(sys.modules.items()):
        if getattr(loaded, "__file__", None) == str(module.suite_file):
            del sys.modules[name]
    wanted = [f"{module.suite_file}::{group}" for group in groups] or [str(module.suite_file)]
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        run_suites(["--quiet", "--tb=no", "--assert=plain", *options, *wanted], plugins)


class _Recorder:
    """A plugin of pytest that keeps the first failing call."""

    call: Call | None = None

    def pytest_sessionstart(self, session: Any) -> None:
        # Explaining failures would take most of the time.
        session.config.pluginmanager.get_plugin("g2c-course").explains = False

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        self.call = self.call or getattr(call.excinfo and call.excinfo.value, "call", None)


def main(module_id: str) -> None:
    module = modules()[module_id]
    os.environ[VARIABLE] = module.keys
    json.dump(make(module), sys.stdout, indent=0)


if __name__ == "__main__":
    main(sys.argv[1])
