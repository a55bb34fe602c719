"""The mistake bank without its code, for a release without answers: wrong calls, by hash, and the mistakes they show.

    python -m g2c.course.diagnosis.fingerprints 04      prints the file for module 04; it needs the bank

Each wrong solution of the bank is tested by its module's suite up to the first failing test. The fingerprint of the
call that fails there, a hash of what was called and what came of it, is stored with the names of the wrong solutions
that fail in this way. A student's call with the same fingerprint is explained by them:

    {"mistakes": {name: [mistake, why, pitfall, thought]}, "calls": {fingerprint: [names]}}

What is not stored stays unnamed: mistakes that no wrong solution of the bank makes, and calls that depend on a second
mistake. Where there is a bank, `g2c.course.diagnosis.replay` finds these too.
"""

import contextlib
import hashlib
import json
import os
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import cache
from importlib import import_module
from typing import Any

from g2c.common.answer_key import VARIABLE
from g2c.course.calls import Call, Mistake, is_long
from g2c.course.diagnosis.bank import BANK, Entry, entries
from g2c.course.diagnosis.replay import is_explicit, shape_of_error
from g2c.course.exercises import Module, modules
from g2c.course.suite_process import run_suites

FILE = "fingerprints.json"
"""In the folder of a module in mistakes/."""


def known_mistakes(call: Call) -> list[Mistake]:
    """The mistakes stored for a call like this one: what its test was written to find first, then the most frequent."""
    if call.module is None:
        return []
    stored = _stored(call.module.id)
    names = [name for one in fingerprints(call) for name in stored["calls"].get(one, ())]
    mistakes = {name: Mistake(*stored["mistakes"][name]) for name in names}
    same_name = Counter(mistake.name for mistake in mistakes.values())
    names = sorted(mistakes, key=lambda name: (name != call.known, -same_name[mistakes[name].name], name))
    return [mistakes[name] for name in names]


def known_to_the_test(call: Call) -> list[Mistake]:
    """The stored mistake that the test of this call was written to find."""
    found = _stored(call.module.id)["mistakes"].get(call.known) if call.module and call.error is None else None
    return [Mistake(*found)] if found else []


@cache
def _stored(module_id: str) -> dict[str, Any]:
    path = BANK / module_id / FILE
    return json.loads(path.read_text(encoding="utf-8")) if path.is_file() else {"mistakes": {}, "calls": {}}


def fingerprints(call: Call) -> tuple[str, ...]:
    """The hashes under which a call may be stored.

    They depend on the function, the object's public attributes, the arguments, and what the test saw. An error has two:
    by its kind alone, and by its kind and message.
    """
    state = {name: value for name, value in call.state.items() if not name.startswith("_")}
    begin = _text([call.key, state, call.args, call.kwargs, call.aspect])
    if call.error is not None:
        kind = type(call.error).__name__
        outcomes = [f"error {kind}", f"error {kind} {shape_of_error(call.error)}"]
    elif call.unseen:
        outcomes = [f"unseen {_text(call.returned)}"]
    else:
        outcomes = [_text(call.result)]
    return tuple(hashlib.sha256(f"{begin}\n{outcome}".encode()).hexdigest()[:16] for outcome in outcomes)


def _text(value: Any) -> str:
    """A text that is the same for equal values, in every process. Long values are cut."""
    if is_long(value):
        with contextlib.suppress(TypeError):
            return f"{len(value)} of {type(value).__name__} {_text(value[:100])}"
    if hasattr(value, "tolist"):
        return f"{value.dtype} {_text(value.tolist())}"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, dict):
        return f"{{{', '.join(f'{_text(key)}: {_text(item)}' for key, item in value.items())}}}"
    if isinstance(value, list | tuple):
        return f"{'[('[isinstance(value, tuple)]}{', '.join(map(_text, value))})"
    if isinstance(value, set | frozenset):
        return f"{{{', '.join(sorted(map(_text, value)))}}}"
    if isinstance(value, str | bytes | int | None):
        return repr(value)
    return f"{type(value).__name__} {_text(getattr(value, '__dict__', None))}"


def recognized(text: bytes) -> tuple[int, int]:
    """How many of the mistakes in a file of fingerprints are named first for their own call, and how many there are."""
    stored = json.loads(text)
    mistakes = {name: found[0] for name, found in stored["mistakes"].items()}
    right = 0
    for names in stored["calls"].values():
        same_name = Counter(mistakes[name] for name in names)
        right += max(same_name.values())
    return right, len(mistakes)


# --- making them ------------------------------------------------------------------------------------------------------


def make(module: Module) -> dict[str, Any]:
    """What is stored for a module. Uses the answer key, so it needs a process with G2C_SOLUTIONS set."""
    calls: dict[str, list[str]] = {}
    # Whatever a suite imports is imported once, here.
    run_quietly(module, ["--collect-only"])
    for entry in entries(module.id):
        found = _fingerprint_of(entry)
        if found is not None:
            calls.setdefault(found, []).append(entry.name)
    mistakes = {entry.name: list(entry.as_mistake()[:4]) for entry in entries(module.id)}
    return {"mistakes": mistakes, "calls": calls}


def _fingerprint_of(entry: Entry) -> str | None:
    """The fingerprint of the first failing call of a wrong solution, which runs in a fork of this process.

    None where no call fails: the suite reports an endless loop, or an error outside a call.
    """
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        with contextlib.suppress(BaseException):
            os.write(writer, _first_failure(entry).encode())
        os._exit(0)
    os.close(writer)
    with open(reader, encoding="utf-8") as pipe:
        found = pipe.read()
    os.waitpid(child, 0)
    return found or None


def _first_failure(entry: Entry) -> str:
    replace_in_package(entry.module, entry.solution())
    recorder = _Recorder()
    run_quietly(entry.module, ["--exitfirst"], entry.groups, [recorder])
    return recorder.found


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
    """A plugin of pytest that keeps the fingerprint of the first failing call."""

    found = ""

    def pytest_sessionstart(self, session: Any) -> None:
        # Explaining failures would take most of the time.
        session.config.pluginmanager.get_plugin("g2c-course").explains = False

    def pytest_runtest_makereport(self, item: Any, call: Any) -> None:
        failing = getattr(call.excinfo and call.excinfo.value, "call", None)
        if failing is None or self.found:
            return
        error = failing.error
        by_kind = error is None or is_explicit(error) or isinstance(error, LookupError)
        self.found = fingerprints(failing)[0 if by_kind else 1]


def main(module_id: str) -> None:
    module = modules()[module_id]
    os.environ[VARIABLE] = module.keys
    json.dump(make(module), sys.stdout, indent=0)


if __name__ == "__main__":
    main(sys.argv[1])
