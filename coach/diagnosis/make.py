"""Makes the table of outcomes of a module; table.py has its form.

    python -m coach.diagnosis          makes the tables of all modules, in some minutes
    python -m coach.diagnosis 04       makes that of module 04

The table has the calls of the suite on the answer key, as tests look at them. Every wrong solution is tried on every
call, with its attributes and arguments; all code but the wrong function is the answer key's. The bytes of a table
depend neither on the machine nor on Python's version or its random hashes.
"""

import ast
import contextlib
import hashlib
import inspect
import json
import os
import string
import subprocess
import sys
import warnings
from collections import Counter, deque
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Sized
from contextlib import contextmanager
from dataclasses import astuple, replace
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from coach.common.answer_key import VARIABLE
from coach.common.errors import CourseError
from coach.common.paths import REPOSITORY, display_path
from coach.diagnosis.bank import Entry, entries
from coach.diagnosis.outcomes import Outcome, name_of, outcome_of
from coach.diagnosis.table import FILE, id_of, written
from coach.exercises import BANK, Module, chosen_modules, modules
from coach.plain import print_line, reports_errors
from coach.testing.calls import Call, Effect, attributes, copied
from coach.testing.limits import Guard, Limits, OverLimit
from coach.testing.observation import Observation
from coach.testing.plugin import CoursePlugin
from coach.testing.student_code import is_student_file
from coach.testing.suite_process import run_suites

CALLS_OF_A_TEST = 3
"""Calls of an exercise in one test that the table has although the test does not look at their results."""
OF_A_REPLAY = Limits(seconds=9.0, clock_factor=float("inf"))
"""For a call on a wrong solution: processor time alone. Right code needs milliseconds, slow code up to 4 s."""
LONGEST = 5000
"""Items of an argument. Calls with longer ones show how long code takes, and are not repeated."""

Rows = dict[str, tuple[str, dict[str, str]]]
"""Call -> the places of its exercises, and the name of a wrong solution, "" for the answer key -> its outcome."""


@reports_errors
def main(module_ids: list[str]) -> int:
    """Make the tables of these modules, or of all."""
    for module in chosen_modules(module_ids or modules()):
        _write(module, _rows_by_key(module))
    return 0


def _rows_by_key(module: Module) -> Rows:
    """Return the rows of a module from a process with its answer key."""
    environment = os.environ | {VARIABLE: module.keys, "PYTHONHASHSEED": "0"}
    done = subprocess.run(
        [sys.executable, "-m", __name__, module.id], cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE
    )
    if done.returncode:
        raise CourseError(f"The table of module {module.id} was not made.")
    rows: Rows = json.loads(done.stdout)
    return rows


def _write(module: Module, rows: Rows) -> None:
    path = BANK / module.id / FILE
    calls = {call: (places, by_outcome(outcomes)) for call, (places, outcomes) in sorted(rows.items())}
    mistakes = {
        id_of(one.name): [one.name, *astuple(one.mistake)[:4], one.exercise.qualified_name, one.caught_by, one.has]
        for one in entries(module.id)
    }
    if len(mistakes) < len(entries(module.id)):
        raise CourseError(f"Module {module.id}: two wrong solutions have the same ID. Rename one of them.")
    tables = [f'"mistakes": {{\n{_lines(mistakes)}\n}}', f'"calls": {{\n{_lines(calls)}\n}}']
    text = ",\n".join([f'{{"sources": "{digest_of_sources(module)}"', *tables]) + "}\n"
    path.write_text(text, encoding="utf-8")
    print_line(f"Wrote {display_path(path)}: {len(mistakes)} wrong solutions, {len(calls)} calls.")
    found = set(" ".join(ids for _, outcomes in calls.values() for ids in outcomes.values()).split())
    if alike := [name for each, (name, *_) in mistakes.items() if each not in found]:
        print_line(f"In these calls, the results of {', '.join(alike)} are right. Check that a test fails with each.")


def by_outcome(outcomes: Mapping[str, str]) -> dict[str, str]:
    """Return outcome -> IDs of the wrong solutions that have it. The answer key's comes first, and has no IDs."""
    right, ids = outcomes[""], dict[str, list[str]]()
    for name, outcome in outcomes.items():
        if outcome != right:
            ids.setdefault(outcome, []).append(id_of(name))
    return {right: "", **{outcome: " ".join(sorted(each)) for outcome, each in ids.items()}}


def _lines(table: dict[str, Any]) -> str:
    return ",\n".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in table.items())


def digest_of_sources(module: Module) -> str:
    """Return a digest of everything that a table is made from, without comments and docstrings in Python files.

    These are the bank, the exercises with their test groups, the suite, the answer key, and all that runs with them:
    the exercise files, the given code around them and the rooms `common`, and the files here that call, compare and
    diagnose.
    """
    here = [*REPOSITORY.glob("*/common"), Path(__file__).parent, BANK / module.id]
    needed = [module, *(modules()[each] for each in module.needs)]
    here += [file.parent for each in needed for file in (each.exercise_file, each.key_file)]
    testing = Path(__file__).parents[1] / "testing"
    paths = {path for folder in here for path in folder.glob("[!.]*.py")}
    paths |= {module.suite_file, *(testing / f"{name}.py" for name in ("calls", "comparison", "limits", "observation"))}
    paths.add(Path(__file__).with_name("slips.toml"))
    # Points, hints and lessons, and which modules count, change nothing in a call.
    listed = [
        (each.id, each.given, each.together, [(one.key, one.parameters, one.groups) for one in each.exercises])
        for each in needed
    ]
    digest = hashlib.sha256(repr(listed).encode())
    for path in sorted(paths):
        digest.update(f"{path.relative_to(REPOSITORY).as_posix()}\0{_code(path)}\0".encode())
    return digest.hexdigest()


def _code(path: Path) -> str:
    """Return the lines of a file that are code; of the bank, with docstrings, which reports show."""
    lines = path.read_text(encoding="utf-8").splitlines()
    for node in ast.walk(ast.parse("\n".join(lines))) if path.suffix == ".py" and BANK not in path.parents else ():
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            text = node.body[0]
            lines[text.lineno - 1 : text.end_lineno] = [""] * ((text.end_lineno or 0) - text.lineno + 1)
    return "\n".join(line for line in lines if line.strip() and not line.lstrip().startswith("#"))


# --- in a process with the answer key ---------------------------------------------------------------------------------


def rows_of(module: Module, wrong_solutions: Collection[Entry]) -> Rows:
    """Return the rows of a module, with these wrong solutions."""
    recorder = _Recorder()
    if run_quietly(module, [], plugin=recorder):
        raise CourseError(f"A test of module {module.id} fails with its answer key.")
    replays = Replays(module, wrong_solutions)
    return {name: replays.row(seen) for name, seen in {name_of(seen): seen for seen in recorder.found}.items()}


class _Recorder(CoursePlugin):
    """Keeps what the tests without random examples look at, and their first calls of each exercise."""

    def __init__(self) -> None:
        super().__init__()
        self.history.calls, self.history.checked = deque(), []
        self.found: list[Observation] = []

    @pytest.hookimpl(wrapper=True)
    def pytest_pyfunc_call(self, pyfuncitem: pytest.Function) -> Iterator[None]:
        calls, self.history.checked = len(self.history.calls), []
        yield
        if "@given(" in inspect.getsource(pyfuncitem.obj):
            return  # Hypothesis takes examples from the constants of all code, which the digest does not know.
        self.found += [seen for seen in self.history.checked if not _is_too_long(seen.call)]
        times: Counter[str] = Counter()
        for call in list(self.history.calls)[calls:]:
            if call.module and call.verb in {one.name for one in call.module.exercises}:
                times[call.verb] += 1
                if times[call.verb] <= CALLS_OF_A_TEST:
                    self.found.append(Observation(call, call.effect.value))


def _is_too_long(call: Call) -> bool:
    return any(isinstance(value, Sized) and len(value) > LONGEST for value in call.args)


class Replays:
    """Repeats calls on a module's answer key and on its wrong solutions."""

    def __init__(self, module: Module, wrong_solutions: Collection[Entry]) -> None:
        self.module = module
        self._wrong_solutions = wrong_solutions
        self.key = import_module(module.key_import_name)
        self._endless: set[tuple[str, str]] = set()
        """Wrong solutions and the functions from which they did not return. They are not run there again."""

    def row(self, seen: Observation) -> tuple[str, dict[str, str]]:
        with self._exercises() as names:
            outcomes = {"": written(self.outcome(seen, None))}
        exercises = [exercise.qualified_name for exercise in self.module.exercises]
        for wrong in self._wrong_solutions if outcomes[""] else ():
            if wrong.exercise.qualified_name in names:
                outcomes[wrong.name] = written(self.outcome(seen, wrong))
        places = zip(string.digits + string.ascii_lowercase, exercises)  # As `int(place, 36)` reads them.
        return "".join(place for place, name in places if name in names), outcomes

    @contextmanager
    def _exercises(self) -> Iterator[set[str]]:
        """Collect the names of the answer key's functions that run inside."""
        names: set[str] = set()

        def note(frame: FrameType, event: str, argument: Any) -> None:
            if event == "call" and frame.f_code.co_filename == self.key.__file__:
                names.add(frame.f_code.co_qualname)

        sys.setprofile(note)
        try:
            yield names
        finally:
            sys.setprofile(None)

    def outcome(self, seen: Observation, wrong: Entry | None) -> Outcome | None:
        """Return the outcome of a call on a wrong solution, or the answer key; None if it cannot run there."""
        call, place = seen.call, (wrong.name if wrong else "", seen.call.key)
        if place in self._endless:
            return None
        try:
            state, args, kwargs = copied((call.state, call.args, call.kwargs))
            owner, function = self._function(call, state, wrong.solution() if wrong else vars(self.key))
        except Exception:
            return None
        try:
            with Guard(is_student_file, OF_A_REPLAY).watch(), warnings.catch_warnings(action="ignore"):
                effect = Effect(function(*args, **kwargs), None, owner, args, attributes(owner))
        except (OverLimit, MemoryError):
            self._endless.add(place)
            return None
        except (Exception, SystemExit) as error:
            effect = Effect(error=error)
        replayed = replace(seen, call=replace(call, effect=effect), unseen="")
        if effect.error is None:
            try:
                replayed = replace(replayed, result=seen.look(effect))
            except Exception:
                replayed = replace(replayed, unseen="it")
        return outcome_of(replayed)

    def _function(self, call: Call, state: dict[str, Any], names: dict[str, Any]) -> tuple[Any, Callable[..., Any]]:
        """Return the object and the function of the call, made from these names, with the classes that a test derived
        from the owner's."""
        if call.owner is None:
            # A function that the answer key lacks is given, in the exercise file.
            given = names if call.verb in names else vars(import_module(self.module.import_name))
            return None, given[call.verb]
        mro = (call.owner if isinstance(call.owner, type) else type(call.owner)).__mro__
        place = next(i for i, kind in enumerate(mro) if kind.__name__ in self.module.public_names)
        made: Any = names[mro[place].__name__]
        for kind in reversed(mro[:place]):
            body = {name: value for name, value in vars(kind).items() if name not in ("__dict__", "__weakref__")}
            made = type(kind.__name__, (made,), body)
        owner: Any = made if isinstance(call.owner, type) else object.__new__(made)
        if owner is not made:
            vars(owner).update(state)
        return owner, getattr(owner, call.verb)


def run_quietly(module: Module, options: Sequence[str], plugin: CoursePlugin | None = None) -> int:
    """Run a module's suite in this process and without output. Returns pytest's exit code."""
    # A suite takes its names from the package when it is imported, so it is imported again.
    for name, loaded in list(sys.modules.items()):
        if getattr(loaded, "__file__", None) == str(module.suite_file):
            del sys.modules[name]
    with open(os.devnull, "w") as nowhere, contextlib.redirect_stdout(nowhere), contextlib.redirect_stderr(nowhere):
        return run_suites(["--quiet", "--tb=no", "--assert=plain", *options, module.suite], plugin)


@reports_errors
def _print_rows(arguments: list[str]) -> int:
    module = modules()[arguments[0]]
    for one in entries(module.id):
        one.solution()  # Below, an error in it would only keep it from the table.
    json.dump(rows_of(module, entries(module.id)), sys.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(_print_rows(sys.argv[1:]))
