"""Checks that calls of an exercise do not depend on each other, and change nothing that they should only read.

    with independent_calls("_merge", BPETokenizer()) as merge:
        merge([1, 2, 1, 2], (1, 2), 99, gives=[99, 99])
        merge([3, 1, 2, 1], (1, 2), 99, gives=[3, 99, 1])

Examples of equal length find solutions that remember too much: results by the lengths of their arguments, an option of
an earlier call, or what the object was like then.
"""

import random
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from coach.teaching import call, check, check_arguments, check_that
from coach.testing.calls import attributes, copied
from coach.testing.comparison import same, show
from coach.testing.observation import Observation


@contextmanager
def independent_calls(
    function: str | Callable[..., Any],
    *owners: Any,
    changes: Collection[str] = (),
    see: Callable[[Observation], Observation] = lambda seen: seen,
) -> Iterator[Callable[..., None]]:
    """Provide a function that takes examples, and make all their calls at the end of the block.

    An example has the arguments of a call, and what it `gives` with the first object and `then` with the second one.
    Each object gets the examples twice, forward and backward, with the other object's in between. Then the first object
    gets the second one's state, and the examples once more. At last it begins anew, and the first call must change the
    same as at first. If calls change their object, each finds it as it was before all of them: training, for instance,
    never learns a pair twice. A wrong call fails the test with a report.

    Args:
        function: a method's name, or a function.
        owners: one object or two, whose method is called.
        changes: the attributes that the call changes, as its docstring says.
        see: what of the call is compared; by default the returned value.
    """
    __tracebackhide__ = True
    # Attributes that the student adds are the student's own.
    given = [name for owner in owners[:1] for name in attributes(owner)]
    calls, examples = _Calls(function, given, changes, see), []

    def add(*args: Any, gives: Any, then: Any = None, **kwargs: Any) -> None:
        examples.append((args, kwargs, (gives, then)))

    yield add
    states = [copied(attributes(owner)) for owner in owners]
    other = "was called before with other arguments. If it is right without that, something is kept between calls"
    for why in (other, "gave the right result for the same arguments before"):
        for number, owner in enumerate(owners or [None]):
            for args, kwargs, expected in examples[:: -1 if number else 1]:
                if changes:
                    vars(owner).update(copied(states[number]))
                calls.check(owner, args, kwargs, expected[number], why)
    if len(owners) == 2:
        for args, kwargs, expected in examples[::-1]:
            vars(owners[0]).update(copied(states[1]))
            calls.check(owners[0], args, kwargs, expected[1], "was called before this object changed")
    if changes:
        vars(owners[0]).update(states[0])
        args, kwargs, expected = examples[0]
        seen = calls.check(owners[0], args, kwargs, expected[0], "was called before this object changed")
        for name, value in calls.left.items():
            check(
                seen.attribute(name), value, idea="Set back to its first state, the object changes as it did at first."
            )


@dataclass
class _Calls:
    function: Any
    given: Collection[str]
    changes: Collection[str]
    see: Callable[[Observation], Observation]
    left: dict[str, Any] = field(default_factory=dict)
    """What the first call left in the attributes that it changes."""
    was_called: bool = False
    earlier: list[tuple[Observation, Any]] = field(default_factory=list)
    """The last call and what it gave, unless that is something that the next call changes."""

    def check(self, owner: Any, args: tuple[Any, ...], kwargs: dict[str, Any], expected: Any, why: str) -> Observation:
        __tracebackhide__ = True
        randomness = random.getstate()
        method = self.function if owner is None else getattr(owner, self.function)
        seen = call(method, *copied(args), **copied(kwargs))
        looked, verb = self.see(seen), seen.call.verb
        depends = "its arguments and on the object as they are now" if seen.call.state else "its arguments"
        before = f"{verb} {why}. " if self.was_called else ""
        check(looked, expected, idea=f"{before}A call depends only on {depends}.")
        if not self.was_called:
            self.left = {name: copied(getattr(owner, name)) for name in self.changes}
        self.was_called = True
        self._check_what_stays(seen, owner)
        own = "Draw from a generator of your own, Random(seed): other code uses that one."
        check_that(random.getstate() == randomness, seen, "no change of the module random's own generator", idea=own)
        for last, gave in self.earlier:
            idea = f"This result was right until {verb} was called again: return a new one each time."
            check(self.see(last), gave, idea=idea)
            # The caller may change its result; a later call must not return the same object.
            for part in last.result if isinstance(last.result, tuple) else (last.result,):
                if isinstance(part, (list, dict)) and part:
                    part.pop() if isinstance(part, list) else part.popitem()
        self.earlier = [] if looked.afterwards else [(seen, expected)]
        return seen

    def _check_what_stays(self, seen: Observation, owner: Any) -> None:
        __tracebackhide__ = True
        check_arguments(seen)
        for name, value in seen.call.state.items():
            # A property, such as `merges`, keeps its value in an attribute of its own.
            public = name.lstrip("_") if hasattr(type(owner), name.lstrip("_")) else name
            if name in self.given and public not in self.changes and not same(attributes(owner).get(name), value):
                idea = f"{seen.call.verb} must only read the object: {public} was {show(value, 60)} before the call."
                check(seen.attribute(name), value, idea=idea)
