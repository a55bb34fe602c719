"""Provides what the student suites are written with: checks whose failures say what went wrong, and why.

    check(call(tokenizer.encode, "the cat"), [256, 32, 99, 97, 116], idea="What was learned first is merged first.")

`call` runs student code and keeps everything a report needs: the arguments, the state of the object before the call,
and the result or the error. `check` compares the result, and raises a `StudentFailure` if it is wrong. Its text is the
report, which names the mistake if the diagnosis recognizes it; coach/testing/report.py shows one.
"""

import traceback
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any, TextIO

from coach.diagnosis import diagnose
from coach.testing.calls import Call, Effect, History, copied, is_long, state_of
from coach.testing.comparison import message_of, same, show
from coach.testing.limits import Guard, Limits, OverLimit
from coach.testing.observation import A_VALUE, Observation, StudentFailure, failure
from coach.testing.report import said_of
from coach.testing.student_code import is_student_file, place_of

Difference = Callable[[Observation, Any], str | None]

_histories = [History(diagnose)]
"""The last one keeps the calls. The first is for calls outside a test run."""


@contextmanager
def recording(history: History) -> Iterator[History]:
    """Keep the calls made in the block in this history."""
    _histories.append(history)
    try:
        yield history
    finally:
        _histories.remove(history)


def call(function: Callable[..., Any], *args: Any, **kwargs: Any) -> Observation:
    """Call student code. Errors are kept for the report, except a TODO's NotImplementedError."""
    __tracebackhide__ = True
    history = _histories[-1]
    owner: Any = getattr(function, "__self__", None)
    key = getattr(function, "__qualname__", function.__name__)
    made = Call(
        function=function,
        key=key,
        verb=key.split(".")[-1],
        owner=owner,
        state=state_of(owner),
        args=tuple(map(copied, args)),
        kwargs={name: copied(value) for name, value in kwargs.items()},
        passed=args,
        is_long=any(map(is_long, args)),
        history=history,
        number=history.next_number(key),
    )
    value = error = None
    try:
        value = function(*args, **kwargs)
    except NotImplementedError:
        raise
    except OverLimit as limit:
        return _stopped(made, limit)
    except MemoryError as raised:
        place = place_of(raised.__traceback__)
        # Free the memory that the student's code holds.
        traceback.clear_frames(raised.__traceback__)
        name, where = (place.function, (place.file, place.line)) if place else (None, None)
        return _stopped(made, OverLimit(name, where, 0.0, megabytes=Limits.megabytes))
    except (Exception, SystemExit) as raised:
        error = raised
    effect = Effect(value, error, owner)
    if not (made.is_long or is_long(value)):
        # A value that cannot be copied keeps the call out of the history.
        with suppress(Exception):
            copies = Effect(copied(value), error, owner, tuple(map(copied, args)), state_of(owner))
            history.calls.append(replace(made, effect=copies))
            effect = copies._replace(value=value)
    return Observation(replace(made, effect=effect), value)


def _stopped(made: Call, limit: OverLimit) -> Observation:
    """Observe a call that was stopped. The limit carries a report, in case no check makes one."""
    if (limit.function or "").startswith("<"):
        # To Python a comprehension is a function, but not to the reader.
        limit.function = made.verb
    if not made.is_long:
        made.history.endless.add(made.key)
    seen = Observation(replace(made, effect=Effect(error=limit)))
    limit.failure = StudentFailure(seen)
    return seen


def check(
    seen: Observation,
    expected: Any,
    *,
    idea: str,
    pitfall: str | None = None,
    difference: Difference | None = None,
    mistake: str | None = None,
) -> Any:
    """Fail with a report unless the result is the expected one; return the result otherwise.

    Args:
        seen: from `call`.
        expected: the right value.
        idea: why it is right, in one sentence.
        pitfall: section of the handout to read when no mistake is recognized.
        mistake: the name of the wrong solution in the bank that this test was written to find. The report names it
            before others that explain the call as well, and where no replay can show anything.
        difference: makes the line that says where long values differ; None for the general line.
    """
    __tracebackhide__ = True
    seen = seen.checked(expected=expected, suspect=mistake)
    if seen.error is None and not seen.unseen and same(seen.result, expected):
        return seen.result
    # The report shows the whole result if the part is missing, and the two cannot be compared.
    said = said_of(seen.unseen, show(expected)) if seen.unseen else show(expected)
    line = None
    if difference and seen.error is None and not seen.unseen:
        with suppress(Exception):  # A student's value may be of any form; the general line suits all of them.
            line = difference(seen, expected) or ""
    raise failure(seen, said, idea, pitfall, line)


def check_that(
    fits: bool, seen: Observation, expected: str, *, idea: str, pitfall: str | None = None, mistake: str | None = None
) -> None:
    """Fail with a report unless `fits`, where no single value is right; `expected` describes in words what is."""
    __tracebackhide__ = True
    seen = seen.checked(expected=A_VALUE, suspect=mistake)
    if seen.error is not None or not fits:
        raise failure(seen, expected, idea, pitfall)


def check_raises(
    seen: Observation, kind: type[Exception], *, saying: str = "", idea: str, pitfall: str | None = None
) -> None:
    """Fail with a report unless the call raised an error of this kind, with `saying` in its message."""
    __tracebackhide__ = True
    seen = seen.checked(expected=kind, message=saying)
    if not (isinstance(seen.error, kind) and saying in message_of(seen.error)):
        expected = kind.__name__ + (f" with {saying!r} in its message" if saying else "")
        raise failure(seen, expected, idea, pitfall)


def check_arguments(seen: Observation) -> None:
    """Fail with a report if a call has changed a list or a dictionary that it was given."""
    __tracebackhide__ = True
    for position, value in enumerate(seen.call.args):
        if isinstance(value, (list, dict)):
            kind, verb = type(value).__name__, seen.call.verb
            idea = f"{verb} must only read the {kind} that it was given: it belongs to the caller."
            check(seen.argument(position), value, idea=idea, pitfall="mutated-argument")


def calls_so_far() -> list[Observation]:
    """List the calls that were made in this test, or in this block of `under_limits`, and raised no error."""
    history = _histories[-1]
    made = [one for one in history.calls if one.number > history.test_began and one.effect.error is None]
    return [Observation(one, one.effect.value) for one in made]


def examples(test: Callable[..., Any]) -> Callable[..., Any]:
    """Decorate a test, above hypothesis's `@given`, to run on the same 40 examples every time.

    So a test that fails today fails until the code is right, on a busy machine and in a second run of the process.
    """
    # Imported here, as the commands that a student waits for do without it.
    from hypothesis import HealthCheck, Phase, settings

    options = settings(
        max_examples=40,
        phases=[Phase.generate, Phase.shrink],
        derandomize=True,
        database=None,
        deadline=None,
        suppress_health_check=list(HealthCheck),
        report_multiple_bugs=False,
    )
    return options(test)


def under_limits(run: Callable[[], Any], *, files: Collection[str] = (), crash_report: TextIO | None = None) -> Any:
    """Run a function that calls student code, including code in `files`, under a test's limits; return its result.

    The code may have been edited since the last run, so earlier calls are forgotten. A StudentFailure has the report.
    """
    guard = Guard(lambda file: file in files or is_student_file(file), Limits(), crash_report)
    with recording(History(diagnose)) as history:
        try:
            with guard.watch():
                return run()
        except OverLimit as limit:
            raise limit_report(limit, history) from None


def limit_report(limit: OverLimit, history: History) -> StudentFailure:
    """Make the failure for code that was stopped for its time or memory."""
    return limit.failure or StudentFailure(Observation(Call.none(history, Effect(error=limit))))
