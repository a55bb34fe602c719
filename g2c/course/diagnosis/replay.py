"""Runs wrong solutions of the bank on the call that failed, and finds those with the same outcome.

The answer key is run first. It shows which exercises the call goes through, and whether a replay can show anything at
all: where the answer key gives what the student's code gave, the mistake lies elsewhere.

A wrong solution is out of the question when it fails on another call of this test run that the student's code gets
right, and when the test group that catches it has passed. Of the others that explain the failing call, those come first
that also agree with the most other calls. Among equals, those come first that leave the same state and arguments as
well, then those that replace the called function itself instead of one that it calls, and then those whose name several
wrong solutions share.

What a replay shows is kept for the failures after it: a wrong solution that has once given something else than the
student's code is run again only where no other agrees with everything.
"""

import copy
import functools
import io
import linecache
import pickle
import re
import sys
import threading
import time
import traceback
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout, suppress
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from types import FrameType, FunctionType
from typing import Any, NamedTuple

from g2c.course.calls import Call, Result, history
from g2c.course.comparison import same
from g2c.course.diagnosis.bank import BANK, Entry, entries
from g2c.course.exercises import Module
from g2c.course.limits import OverLimit, call_briefly

SECONDS_EACH = 0.02
MAX_SECONDS = 0.04
"""What the answer key needs half of this for is not replayed."""
SECONDS_IN_ALL = 0.8
MEGABYTES = 256
EARLIER_CALLS = 60
"""How many other calls of the test run a wrong solution is tried on."""


@dataclass(frozen=True)
class Explanation:
    """A wrong solution with the same outcome as the student's code."""

    entry: Entry
    disagreements: int
    """Other calls of the test run on which it gives something else."""
    partial: bool
    """It leaves another state or other arguments than the student's code."""
    indirect: bool
    """It replaces a function that the called one calls."""

    @property
    def rank(self) -> tuple[int, bool, bool]:
        return self.disagreements, self.partial, self.indirect


def explanations(call: Call) -> list[Explanation] | None:
    """The wrong solutions that explain the call, the likeliest first; None when a replay can show nothing."""
    if call.module is None or threading.current_thread() is not threading.main_thread():
        # In another thread nothing could stop a wrong solution.
        return None
    try:
        used = call.module.key_import_name, call.module.import_name
        folders = [Path(str(import_module(name).__file__)).parent for name in used]
        files = tuple(map(str, (BANK, *folders)))
        with (
            warnings.catch_warnings(action="ignore"),
            redirect_stdout(io.StringIO()),
            redirect_stderr(io.StringIO()),
        ):
            return _Replayer(call.module, lambda file: file.startswith(files)).explanations(call)
    except Exception:
        # A file cannot be imported. A report without a mistake is better than none.
        return None


class _Ran(NamedTuple):
    """What came of a replayed call."""

    value: Any
    error: BaseException | None
    state_after: dict[str, Any]
    args_after: tuple[Any, ...]
    result: Any = None
    """What the test looks at."""
    unseen: bool = False


class _Replayer:
    """Runs calls again, on the answer key or on a wrong solution, under limits."""

    endless: set[tuple[Entry, str]] = set()
    """Wrong solutions that were stopped once in this process, and in which function. They are not run there again."""

    def __init__(self, module: Module, may_stop_in: Callable[[str], bool]) -> None:
        self.module = module
        self.may_stop_in = may_stop_in
        self.key = import_module(module.key_import_name)
        self.entries = entries(module.id)
        self.deadline = time.process_time() + SECONDS_IN_ALL
        self.exercises = history.exercises
        self.seconds = history.seconds
        self.pickles: dict[int, bytes | None] = {}

    def explanations(self, call: Call) -> list[Explanation] | None:
        right, passed = self.run(call, None), self.exercises_of(call)
        if right is None or _explains(call, right, explicit=False):
            return None
        refuted = {name for (_, name), agreed in history.agreements.items() if agreed is False}
        candidates = [
            entry
            for entry in self.entries
            if entry.exercise.qualified_name in passed and not history.has_passed(entry.caught_by)
        ]
        found = self._explaining(call, [entry for entry in candidates if entry.name not in refuted])
        if all(explanation.disagreements for explanation in found):
            found += self._explaining(call, [entry for entry in candidates if entry.name in refuted])
        names = Counter((explanation.rank, explanation.entry.mistake) for explanation in found)

        def order(explanation: Explanation) -> tuple[tuple[int, bool, bool], int, str]:
            same_name = names[explanation.rank, explanation.entry.mistake]
            return explanation.rank, -same_name, explanation.entry.name

        return sorted(found, key=order)

    def _explaining(self, call: Call, wrong: list[Entry]) -> list[Explanation]:
        """Those of these wrong solutions that explain the call."""
        found = []
        for entry in wrong:
            if time.process_time() < self.deadline:
                ran = self.run(call, entry)
                agreed = self._remember(call, entry, ran)
                explicit = ran is not None and is_explicit(ran.error) and is_explicit(call.error)
                if ran is not None and _explains(call, ran, explicit=explicit):
                    found.append((entry, agreed))
        earlier = history.before(call)[:EARLIER_CALLS] if found else []
        function = call.key.split(".")[-1]
        counts = {entry: self.disagreements(entry, earlier) for entry, _ in found}
        return [
            Explanation(entry, count, partial=not agreed, indirect=function != entry.exercise.name)
            for entry, agreed in found
            if (count := counts[entry]) is not None
        ]

    def disagreements(self, entry: Entry, calls: list[Call]) -> int | None:
        """On how many of these calls the wrong solution gives something other than the student's code did.

        None: it does so on a call that the student's code gets right.
        """
        count = 0
        for call in calls:
            if time.process_time() > self.deadline:
                break
            if call.module == self.module and entry.exercise.qualified_name in self.exercises_of(call):
                key = call.number, entry.name
                if key not in history.agreements:
                    self._remember(call, entry, self.run(call, entry))
                if history.agreements[key] is None:
                    return count + 1
                if not history.agreements[key]:
                    if history.agreements[call.number, ""]:
                        return None
                    count += 1
        return count

    def _remember(self, call: Call, entry: Entry | None, ran: _Ran | None) -> bool:
        """Keep for later failures whether a replay left everything as the student's code did, and return it."""
        agreed = None if ran is None else _agrees(call, ran)
        history.agreements[call.number, entry.name if entry else ""] = agreed
        return bool(agreed)

    def exercises_of(self, call: Call) -> frozenset[str]:
        """Qualified names of the functions of the answer key that it goes through when it answers this call.

        None at all where it takes so long that a wrong solution could not be told from one that never returns.
        """
        if call.number not in self.exercises:
            names: set[str] = set()

            def note(frame: FrameType, event: str, argument: Any) -> None:
                if event == "call" and frame.f_code.co_filename == self.key.__file__:
                    names.add(frame.f_code.co_qualname)

            before, began = sys.getprofile(), time.process_time()
            sys.setprofile(note)
            try:
                self._remember(call, None, self.run(call, None))
            finally:
                sys.setprofile(before)
            taken = time.process_time() - began
            self.exercises[call.number] = frozenset() if taken > MAX_SECONDS / 2 else frozenset(names)
            self.seconds[call.number] = max(SECONDS_EACH, 2 * taken)
        return self.exercises[call.number]

    def run(self, call: Call, entry: Entry | None) -> _Ran | None:
        """Run a call on a wrong solution, or on the answer key where `entry` is None. None: it cannot be run."""
        if entry is not None and (entry, call.key) in self.endless:
            return None
        try:
            state, args, kwargs = self._before(call)
            owner, function = self._function(call, state, self._names(entry))
        except Exception:
            return None
        try:
            seconds = self.seconds.get(call.number, MAX_SECONDS)
            value = call_briefly(seconds, MEGABYTES, self.may_stop_in, function, *args, **kwargs)
        except OverLimit:
            if entry is not None:
                self.endless.add((entry, call.key))
            return None
        except (Exception, SystemExit) as error:
            return _Ran(None, error, _attributes(owner), args)
        ran = _Ran(value, None, _attributes(owner), args)
        try:
            return ran._replace(result=call.look(Result(value, owner, args)))
        except Exception:
            return ran._replace(unseen=True)

    def _before(self, call: Call) -> tuple[dict[str, Any], tuple[Any, ...], dict[str, Any]]:
        """Copies of the owner's attributes and of the arguments as they were before the call."""
        before = call.state, call.args, call.kwargs
        if call.number not in self.pickles:
            # The same is needed for each wrong solution, and unpickling is much faster than copying.
            self.pickles[call.number] = None
            with suppress(Exception):
                self.pickles[call.number] = pickle.dumps(before)
        pickled = self.pickles[call.number]
        return copy.deepcopy(before) if pickled is None else pickle.loads(pickled)

    def _names(self, entry: Entry | None) -> dict[str, Any]:
        """The names of the exercise file and the answer key, with those of the wrong solution in their place."""
        names = vars(import_module(self.module.import_name)) | vars(self.key)
        if entry is None:
            return names
        names |= entry.solution()
        # The answer key's functions call one another by name: here they find the wrong ones.
        for name, value in names.items():
            if isinstance(value, FunctionType) and value.__globals__ is vars(self.key):
                names[name] = _with_globals(value, names)
        return names

    def _function(self, call: Call, state: dict[str, Any], names: dict[str, Any]) -> tuple[Any, Callable[..., Any]]:
        """The owner in this state, and the function to call."""
        *_, name = call.key.split(".")
        if call.owner is None:
            return None, names[name]
        kind = self._class(call, names)
        if isinstance(call.owner, type):
            return kind, getattr(kind, name)
        owner: Any = object.__new__(kind)
        vars(owner).update(state)
        return owner, getattr(owner, name)

    def _class(self, call: Call, names: dict[str, Any]) -> type:
        """The owner's class with the wrong solution in place of the student's, under what a test derived from it."""
        mro = (call.owner if isinstance(call.owner, type) else type(call.owner)).__mro__
        place = next(i for i, kind in enumerate(mro) if kind.__name__ in self.module.public_names)
        made: type = names[mro[place].__name__]
        # A wrong solution may be one for a class that this one inherits from.
        inherited = [names[kind.__name__] for kind in mro[place:] if kind.__name__ in self.module.public_names]
        bases = tuple(dict.fromkeys((made, *(kind for kind in inherited if not issubclass(made, kind)))))
        if len(bases) > 1:
            made = type(made.__name__, bases, {})
        for kind in reversed(mro[:place]):
            body = {name: value for name, value in vars(kind).items() if name not in ("__dict__", "__weakref__")}
            made = type(kind.__name__, (made,), body)
        return made


def _with_globals(function: FunctionType, names: dict[str, Any]) -> FunctionType:
    code, defaults, closure = function.__code__, function.__defaults__, function.__closure__
    copied = FunctionType(code, names, function.__name__, defaults, closure)
    functools.update_wrapper(copied, function)
    return copied


def _attributes(owner: Any) -> dict[str, Any]:
    return dict(vars(owner)) if hasattr(owner, "__dict__") and not isinstance(owner, type) else {}


# --- comparing what came ----------------------------------------------------------------------------------------------


def _explains(call: Call, ran: _Ran, *, explicit: bool) -> bool:
    """Whether the replay shows the test what the student's code showed it."""
    if call.error is not None or ran.error is not None:
        if isinstance(call.expected, type) and isinstance(call.error, call.expected):
            # The right error, but its message lacks something.
            return isinstance(ran.error, call.expected) and call.message not in str(ran.error)
        return _same_error(call.error, ran.error, explicit=explicit)
    if call.unseen or ran.unseen:
        return bool(call.unseen) and ran.unseen and _alike(call.returned, ran.value)
    return _alike(call.result, ran.result)


def _agrees(call: Call, ran: _Ran) -> bool:
    """Whether the replay left everything as the student's code left it."""
    if call.error is not None or ran.error is not None:
        return _same_error(call.error, ran.error, explicit=True)
    return all(
        _alike(mine, theirs, ordered=True)
        for mine, theirs in (
            (call.returned, ran.value),
            (call.state_after, ran.state_after),
            (call.args_after, ran.args_after),
        )
    )


def _same_error(mine: BaseException | None, theirs: BaseException | None, *, explicit: bool) -> bool:
    """Whether two errors are of one kind. Messages count too, unless somebody wrote them: then each writes another."""
    if type(mine).__name__ != type(theirs).__name__:
        return False
    if isinstance(mine, KeyError) and isinstance(theirs, KeyError) and not explicit:
        return _alike(mine.args, theirs.args)
    return explicit or shape_of_error(mine) == shape_of_error(theirs)


def shape_of_error(error: BaseException | None) -> str:
    """The message without what is in quotation marks, and without numbers.

    >>> shape_of_error(KeyError("a")), shape_of_error(TypeError("'int' object is not iterable"))
    ('_', '_ object is not iterable')
    """
    return re.sub(r"'[^']*'|\"[^\"]*\"|-?\d+", "_", str(error))


def is_explicit(error: BaseException | None) -> bool:
    """Whether the error comes from a `raise` statement, and not from Python itself."""
    frames = list(traceback.walk_tb(error.__traceback__)) if error is not None else []
    if not frames:
        return False
    frame, line = frames[-1]
    return linecache.getline(frame.f_code.co_filename, line).strip().startswith("raise")


def _alike(mine: Any, theirs: Any, *, ordered: bool = False) -> bool:
    """Equality as the suites mean it, or as strict as a student could see it: the order of dictionaries counts too."""
    if hasattr(mine, "__next__") and hasattr(theirs, "__next__"):
        return True
    try:
        if isinstance(mine, dict) and isinstance(theirs, dict):
            if mine.keys() != theirs.keys() or (ordered and list(mine) != list(theirs)):
                return False
            return all(_alike(value, theirs[key], ordered=ordered) for key, value in mine.items())
        if same(mine, theirs) and same(theirs, mine):
            return True
        return (
            _is_plain_object(mine)
            and type(mine).__name__ == type(theirs).__name__
            and _alike(*map(vars, (mine, theirs)), ordered=ordered)
        )
    except Exception:
        # Values of any kind come here; what cannot be compared is not the same.
        return False


def _is_plain_object(value: Any) -> bool:
    return hasattr(value, "__dict__") and not isinstance(value, type) and "__eq__" not in vars(type(value))
