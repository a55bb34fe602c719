"""Runs a call again on wrong solutions of the bank, and returns the outcomes.

A replay has the attributes and arguments of the student's call; all code but the wrong function is the answer key's. It
is stopped after a few milliseconds.
"""

import sys
from collections.abc import Callable
from dataclasses import replace
from importlib import import_module
from pathlib import Path
from types import FrameType
from typing import Any

from g2c.course.diagnosis.bank import entries
from g2c.course.diagnosis.outcomes import Outcome, outcome_of
from g2c.course.exercises import BANK, Module
from g2c.course.testing.calls import Call, Effect, attributes, copied
from g2c.course.testing.limits import OverLimit, call_briefly
from g2c.course.testing.observation import Observation

TICKS = 8
"""How long a wrong solution may run (`call_briefly`). The answer key gets half: if it needs more, a wrong solution
cannot be distinguished from one that never returns."""


class Replay:
    def __init__(self, module: Module) -> None:
        self.module = module
        self.key = import_module(module.key_import_name)
        self._entries = {entry.name: entry for entry in entries(module.id)}
        self.known = [*self._entries.values()]
        folders = (Path(str(import_module(name).__file__)).parent for name in (self.key.__name__, module.import_name))
        self._files = tuple(map(str, (BANK, *folders)))
        self._stopped: set[tuple[str, str]] = set()
        """Wrong solutions and the functions from which they did not return. They are not run there again."""
        self._exercises: dict[int, frozenset[str]] = {}

    def exercises_of(self, seen: Observation) -> frozenset[str]:
        """Return the names of the answer key's functions that this call runs; none if that takes too long."""
        number = seen.call.number
        if number not in self._exercises:
            names: set[str] = set()

            def note(frame: FrameType, event: str, argument: Any) -> None:
                if event == "call" and frame.f_code.co_filename == self.key.__file__:
                    names.add(frame.f_code.co_qualname)

            before = sys.getprofile()
            sys.setprofile(note)
            try:
                right = self.outcome(seen, None)
            finally:
                sys.setprofile(before)
            self._exercises[number] = frozenset(names if right else ())
        return self._exercises[number]

    def outcome(self, seen: Observation, name: str | None) -> Outcome | None:
        """Return the outcome of a call on a wrong solution, or the answer key (None); None if it cannot run there."""
        call = seen.call
        if name is not None and (name, call.key) in self._stopped:
            return None
        try:
            state, args, kwargs = copied((call.state, call.args, call.kwargs))
            owner, function = self._function(call, state, self._entries[name].solution() if name else vars(self.key))
        except Exception:
            return None
        try:
            ticks = TICKS if name else TICKS // 2
            value = call_briefly(ticks, lambda file: file.startswith(self._files), function, *args, **kwargs)
            effect = Effect(value, None, owner, args, attributes(owner))
        except OverLimit:
            if name is not None:
                self._stopped.add((name, call.key))
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
