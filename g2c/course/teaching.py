"""What the student suites are written with: tests whose failure says what went wrong and why.

    check(call(tokenizer.encode, "the cat"), [256, 32, 99, 97, 116], idea="What was learned first is merged first.")

`call` runs student code and keeps everything a report needs: the arguments, the tokenizer's state before the call, what
came back or was raised. `check` compares, and when the two differ raises `StudentFailure`, whose text is the report:

    Called:     tokenizer._get_pair_counts([1, 2, 3])
    Tokenizer:  no merges, no special tokens, no pattern
    Came back:  {(1, 2): 1, (2, 3): 1, (3, 1): 1}
    Expected:   {(1, 2): 1, (2, 3): 1}
    Mistake:    n pairs instead of n - 1. The last ID has no neighbour after it; yours was paired with the first one.
    Idea:       Three IDs in a row have two pairs of neighbours.
    Read:       docs/04-tokenizer.md#pitfall-pair-count

The line "Mistake" comes from recognisers, functions that know what a classic mistake would have given.
"""

import copy
from collections.abc import Callable, Iterable, Iterator, Sized
from dataclasses import dataclass, replace
from functools import cache
from itertools import islice
from numbers import Integral
from typing import Any, NamedTuple

import numpy as np

from g2c.common.paths import REPOSITORY
from g2c.course.exercises import modules
from g2c.course.limits import Limits, OverLimit
from g2c.course.student_code import place_of
from g2c.tokenizer.patterns import PATTERNS

WIDTH = 110
"""Characters that a value may take in one line of a report."""

LINE_WIDTH = 240
"""Characters that a line may have in all: two or three lines of a terminal."""


class Mistake(NamedTuple):
    """A classic mistake. `pitfall` names its section of the handout, `why` is one or two sentences."""

    name: str
    why: str
    pitfall: str | None = None
    alternatives: tuple[str, ...] = ()
    """Other mistakes that would have given the same."""

    def sentence(self) -> str:
        """
        >>> Mistake("the last ID is lost", "Copy it.", alternatives=("a pair is lost",)).sentence()
        'the last ID is lost (or: a pair is lost). Copy it.'
        """
        others = f" (or: {', or '.join(self.alternatives)})" if self.alternatives else ""
        return f"{self.name}{others}. {self.why}"


NOT_SAID = object()
"""In place of an expected value: the test has none to compare with."""

A_VALUE = object()
"""In place of an expected value: any will do, but no error."""

LONG = 1000
"""From this many items on, an argument is there to show how long a call takes."""

Recogniser = Callable[["Outcome"], Iterator[Mistake]]
Difference = Callable[["Outcome", Any], str | None]


class StudentFailure(AssertionError):
    """A test of student code failed. The text is the report; `mistake` what was recognised, if anything."""

    def __init__(self, report: str, headline: str, mistake: Mistake | None = None) -> None:
        super().__init__(report)
        self.headline = headline
        self.mistake = mistake


@dataclass(frozen=True)
class Outcome:
    """A call of student code and what came of it: the returned value, or later a part of the state."""

    name: str
    """As the student would write it: "tokenizer.encode"."""
    key: str
    """The function's qualified name, "BPETokenizer.encode", by which recognisers and the handout are found."""
    owner: Any
    """The object whose method was called; None for a function."""
    state: dict[str, Any]
    """The owner's attributes before the call."""
    args: tuple
    kwargs: dict[str, Any]
    """The arguments as they were before the call."""
    live_args: tuple = ()
    """The very objects that were passed."""
    result: Any = None
    error: BaseException | None = None
    aspect: str = ""
    """What `result` is: "" for the returned value, else for instance "tokenizer.merges"."""
    shown: str = ""
    """The call as the report shows it; made from the name and the arguments when empty."""
    expected: Any = NOT_SAID
    """What the test compares with; the kind of error where it wants one."""
    unseen: bool = False
    """The test wanted to look at a part of what came back, and there is no such part."""

    @property
    def value(self) -> Any:
        """What came back. A test that goes on with it fails with a report when the call raised."""
        __tracebackhide__ = True
        if self.error is not None:
            failing = replace(self, expected=A_VALUE)
            raise _failure(failing, "a value, and no error", "This call is valid.", None, None, ())
        return self.result

    def attribute(self, name: str) -> "Outcome":
        """The same call, looked at through what it left in an attribute of the tokenizer."""
        __tracebackhide__ = True
        self.value
        return replace(self, result=copy.copy(getattr(self.owner, name)), aspect=f"{_name_of(self.owner)}.{name}")

    def argument(self, position: int = 0) -> "Outcome":
        """The same call, looked at through what it did to an argument."""
        __tracebackhide__ = True
        self.value
        return replace(self, result=self.live_args[position], aspect=f"argument {position + 1}")

    def seen_as(self, view: Callable[[Any], Any], aspect: str) -> "Outcome":
        """The same call, looked at through a function of what came back: `outcome.seen_as(list, "the keys")`."""
        __tracebackhide__ = True
        try:
            return replace(self, result=view(self.value), aspect=aspect)
        except (TypeError, ValueError, AttributeError, LookupError):
            # What came back is nothing that can be looked at in this way: then that is the news.
            return replace(self, unseen=True)

    def shown_as(self, text: str) -> "Outcome":
        """The same call, written in another way in the report."""
        return replace(self, shown=text)

    def gave(self, value: Any) -> bool:
        """Whether this value is what came."""
        return self.error is None and same(self.result, value)

    def raised(self, *kinds: type[BaseException]) -> bool:
        return isinstance(self.error, kinds)


def call(function: Callable, *args, **kwargs) -> Outcome:
    """Call student code. Errors are kept for the report, except NotImplementedError: that is what a TODO says."""
    __tracebackhide__ = True
    owner = getattr(function, "__self__", None)
    method = function.__name__
    outcome = Outcome(
        name=f"{_name_of(owner)}.{method}" if owner is not None else method,
        key=getattr(function, "__qualname__", method),
        owner=owner,
        state={name: copy.copy(value) for name, value in vars(owner).items()} if hasattr(owner, "__dict__") else {},
        args=copy.deepcopy(args),
        kwargs=copy.deepcopy(kwargs),
        live_args=args,
    )
    try:
        return replace(outcome, result=function(*args, **kwargs))
    except NotImplementedError:
        raise
    except OverLimit as limit:
        limit.outcome = outcome
        raise
    except (Exception, SystemExit) as error:
        return replace(outcome, error=error)


def check(
    outcome: Outcome,
    expected: Any,
    *,
    idea: str,
    pitfall: str | None = None,
    diagnose: Iterable[Recogniser] = (),
    difference: Difference | None = None,
) -> Any:
    """Fail with a report unless what came is what was expected; return it otherwise.

    Args:
        outcome: from `call`.
        expected: the right value.
        idea: why it is right, in one sentence.
        pitfall: section of the handout to read when no mistake is recognised.
        diagnose: recognisers of this test alone; the registered ones are asked after them.
        difference: makes the line that says where long values part; None for the general one.
    """
    __tracebackhide__ = True
    if outcome.gave(expected):
        return outcome.result
    outcome = replace(outcome, expected=expected)
    raise _failure(
        outcome, show(expected), idea, pitfall, (difference or first_difference)(outcome, expected), diagnose
    )


def check_that(
    fits: bool, outcome: Outcome, expected: str, *, idea: str, pitfall: str | None = None, diagnose: Iterable = ()
) -> None:
    """Fail with a report unless `fits`. For what no single value says; `expected` says it in words."""
    __tracebackhide__ = True
    if outcome.error is not None or not fits:
        raise _failure(replace(outcome, expected=A_VALUE), expected, idea, pitfall, None, diagnose)


def check_raises(
    outcome: Outcome, kind: type[Exception], *, saying: str = "", idea: str, pitfall: str | None = None
) -> None:
    """Fail with a report unless the call raised an error of this kind, with `saying` in its message."""
    __tracebackhide__ = True
    if isinstance(outcome.error, kind) and saying in str(outcome.error):
        return
    expected = kind.__name__ + (f" with {saying!r} in its message" if saying else "")
    raise _failure(replace(outcome, expected=kind), expected, idea, pitfall, None, ())


# --- recognising mistakes ---------------------------------------------------------------------------------------------

_RECOGNISERS: dict[str, list[Recogniser]] = {}

CHANGED_ARGUMENT = Mistake(
    "the list that was passed is changed",
    "It belongs to the caller. Build a new list and return that.",
    "mutated-argument",
)
CHANGED_DICTIONARY = Mistake(
    "the dictionary that was passed is changed", "It belongs to the caller. Only look at it.", "mutated-argument"
)
FORGOT_RETURN = Mistake("nothing is returned", "A function that ends without return gives None.")
NO_END = Mistake(
    "a call that calls itself without end",
    "Every call must come closer to its end; a loop is the simpler way here.",
    "endless-encode",
)
TOO_DEEP = Mistake(
    "a call that calls itself for each item",
    "Python goes about 1,000 calls deep, and a text has more tokens: use a loop.",
    "slow",
)
TOO_MUCH = Mistake("a list that grows without end", "A loop that appends must also come to its end.", "endless-encode")


def recognises(*keys: str) -> Callable[[Recogniser], Recogniser]:
    """Decorator: a recogniser for calls of these functions, by qualified name ("BPETokenizer.encode").

    A recogniser looks at an Outcome that is wrong and yields every Mistake that explains it, the likeliest first.
    """

    def register(recogniser: Recogniser) -> Recogniser:
        for key in keys:
            _RECOGNISERS.setdefault(key, []).append(recogniser)
        return recogniser

    return register


def diagnosis(outcome: Outcome, extra: Iterable[Recogniser] = ()) -> Mistake | None:
    """The mistake that explains a wrong outcome; None when none is known that would.

    Where mistakes of the same section of the handout explain it just as well, the name says so.
    """
    found = list(dict.fromkeys(_explanations(outcome, extra)))
    if not found:
        return None
    first = found[0]
    alike = [mistake.name for mistake in found[1:] if mistake.pitfall == first.pitfall]
    return first._replace(alternatives=tuple(alike[:2]))


def mistakes_of(earlier: Outcome) -> Recogniser:
    """A recogniser that looks at an earlier call, whose result the failing one was given."""
    return lambda outcome: _explanations(earlier)


def _explanations(outcome: Outcome, extra: Iterable[Recogniser] = ()) -> Iterator[Mistake]:
    for recogniser in (*extra, *_RECOGNISERS.get(outcome.key, ()), _general_mistakes):
        try:
            yield from recogniser(outcome)
        except Exception:
            # A recogniser thinks about values of any kind; one that it cannot read is none that it knows.
            continue


def _general_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    if outcome.aspect.startswith("argument"):
        dictionary = isinstance(outcome.live_args[0], dict) if outcome.live_args else False
        yield CHANGED_DICTIONARY if dictionary else CHANGED_ARGUMENT
    if outcome.raised(RecursionError):
        yield TOO_DEEP if _has_long_argument(outcome) else NO_END
    if outcome.raised(MemoryError):
        yield TOO_MUCH
    if outcome.error is None and outcome.result is None and not outcome.aspect:
        yield FORGOT_RETURN
    if isinstance(outcome.expected, type) and issubclass(outcome.expected, Exception):
        yield _error_mistake(outcome)
    elif outcome.expected is not NOT_SAID:
        yield from _value_mistakes(outcome)


def _error_mistake(outcome: Outcome) -> Mistake:
    kind = outcome.expected.__name__
    if outcome.error is None:
        return Mistake("no error is raised", f"What makes no sense must not pass unseen: raise a {kind}.")
    if isinstance(outcome.error, outcome.expected):
        return Mistake("the error does not say what is wrong", "Put the value that is wrong into the message.")
    return Mistake(
        f"{type(outcome.error).__name__} where {kind} belongs", f"Look for the case beforehand, and raise a {kind}."
    )


def _value_mistakes(outcome: Outcome) -> Iterator[Mistake]:
    """What can be said of any value: an error came in its place, or a value of another kind."""
    if outcome.error is not None:
        if not outcome.raised(RecursionError, MemoryError):
            name = type(outcome.error).__name__
            yield Mistake(f"{name} although the call is valid", "Your code has to have an answer for these arguments.")
    elif outcome.unseen:
        yield Mistake("what comes back is built in another way", "Compare it with the example in the docstring.")
    elif kinds := _other_kind(outcome.result, outcome.expected):
        came, belongs = kinds
        yield Mistake(f"{came} where {belongs} belongs", _KINDS_WHY.get(came, f"What belongs there is {belongs}."))


_KIND_NAMES = {
    list: "a list",
    tuple: "a tuple",
    dict: "a dictionary",
    str: "text",
    bytes: "bytes",
    np.ndarray: "an array",
    type(None): "None",
}
_KINDS_WHY = {
    "an iterator": "yield, map, zip and (... for ...) make one, which is read once: collect the values, then return.",
    "an array": "array.tolist() makes a list of numbers of it.",
    "a tuple": "A tuple never equals a list. And nothing is returned beside what the docstring says.",
    "False": "None says that there is nothing; False is another answer.",
}


def _kind(value: Any) -> str:
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, Integral):
        return "a number"
    if hasattr(value, "__next__"):
        return "an iterator"
    return next((name for kind, name in _KIND_NAMES.items() if isinstance(value, kind)), f"a {type(value).__name__}")


def _other_kind(actual: Any, expected: Any) -> tuple[str, str] | None:
    """The two kinds, where a value or something in it is of another kind than expected: ("a list", "a tuple")."""
    if expected is A_VALUE:
        return None
    kinds = _kind(actual), _kind(expected)
    if kinds[0] != kinds[1]:
        return None if isinstance(actual, type(expected)) or actual is None else kinds
    if isinstance(expected, dict):
        actual, expected = list(actual.items()), list(expected.items())
    if isinstance(expected, (list, tuple)):
        inside = (_other_kind(mine, theirs) for mine, theirs in zip(actual, expected))
        return next(filter(None, inside), None)
    return None


# --- comparing --------------------------------------------------------------------------------------------------------


def same(actual: Any, expected: Any) -> bool:
    """Equality as the suites mean it: IDs may be numpy integers and dictionaries of any class, but a list is a list."""
    if isinstance(expected, (list, tuple)):
        return (
            isinstance(actual, type(expected))
            and len(actual) == len(expected)
            and all(same(mine, theirs) for mine, theirs in zip(actual, expected))
        )
    if isinstance(actual, np.ndarray) or (isinstance(expected, bytes) and not isinstance(actual, bytes)):
        return False
    if isinstance(actual, bool) != isinstance(expected, bool):
        return False
    return bool(actual == expected)


def first_difference(outcome: Outcome, expected: Any) -> str | None:
    """Where two values part, when that is hard to see; None when it is plain."""
    actual = outcome.result
    if outcome.error is not None or actual is None:
        return None
    if isinstance(expected, (list, tuple, str, bytes, dict)) and not isinstance(actual, type(expected)):
        return f"the type is {type(actual).__name__}, but {type(expected).__name__} was expected"
    if len(repr(actual)) <= WIDTH and len(repr(expected)) <= WIDTH:
        return None
    if isinstance(expected, dict):
        return _dict_difference(actual, expected)
    if isinstance(expected, tuple):
        return next(
            (
                first_difference(replace(outcome, result=mine), theirs)
                for mine, theirs in zip(actual, expected)
                if not same(mine, theirs)
            ),
            None,
        )
    if isinstance(expected, (list, str, bytes)):
        return _sequence_difference(actual, expected)
    return None


def _sequence_difference(actual, expected) -> str:
    position = next((i for i, (mine, theirs) in enumerate(zip(actual, expected)) if mine != theirs), None)
    if position is None:
        position = min(len(actual), len(expected))
        longer, whose = (actual, "yours") if len(actual) > len(expected) else (expected, "the expected one")
        return f"alike up to position {position}, where {whose} goes on with {longer[position : position + 5]!r}"
    start = max(position - 2, 0)
    window = slice(start, position + 4)
    return f"at position {position}; from {start} on yours is {actual[window]!r}, expected {expected[window]!r}"


def _dict_difference(actual: dict, expected: dict) -> str:
    for key, value in expected.items():
        if key not in actual:
            return f"{key!r} is missing; expected {key!r}: {show(value, 40)}"
        if not same(actual[key], value):
            return f"at {key!r}: yours is {show(actual[key], 40)}, expected {show(value, 40)}"
    extra = next(key for key in actual if key not in expected)
    return f"{extra!r}: {show(actual[extra], 40)} should not be there"


# --- the report -------------------------------------------------------------------------------------------------------


def _failure(
    outcome: Outcome,
    expected: str,
    idea: str,
    pitfall: str | None,
    difference: str | None,
    diagnose: Iterable[Recogniser],
) -> StudentFailure:
    mistake = diagnosis(outcome, diagnose)
    lines = [
        *_call_lines(outcome),
        _came_line(outcome),
        _line("Expected", expected),
        _line("Difference", difference),
        _line("Mistake", mistake and mistake.sentence()),
        _line("Idea", idea),
        _line("Read", section(outcome, (mistake and mistake.pitfall) or pitfall)),
    ]
    report = "\n".join(line for line in lines if line)
    failure = StudentFailure(report, mistake.name if mistake else _short_came(outcome, expected), mistake)
    failure.__cause__ = outcome.error
    return failure


def limit_report(limit: OverLimit) -> StudentFailure:
    """The report for a call that was ended because it took too long or too much memory."""
    outcome = limit.outcome or Outcome(limit.function or "the test", "", None, {}, (), {})
    name = limit.function or "the test"
    if name.startswith("<") and limit.outcome:
        # A comprehension is a function for Python, but not for the reader.
        name = limit.outcome.key.split(".")[-1]
    mistake = Mistake(
        f"{name} takes too long" if limit.returns else f"{name} never returns",
        "Every round must come closer to the end of the loop, and with nothing left to do it must stop.",
        "endless-encode",
    )
    # A function that hit a limit before gets a fraction of the time: it came to no end with a short argument.
    had_its_time = limit.seconds > 2 * Limits.seconds_again
    if had_its_time and _has_long_argument(outcome):
        mistake = Mistake(
            f"{name} is too slow for a long argument",
            "Every item should be looked at about once: look for a loop in the loop, such as count or index.",
            "slow",
        )
    lines = [
        *(_call_lines(outcome) if limit.outcome else ()),
        _line("Came back", f"nothing: {limit.sentence()}"),
        _line("Expected", "a value, and no error"),
        _line("Mistake", mistake.sentence()),
        _line("Read", section(outcome, mistake.pitfall)),
    ]
    return StudentFailure("\n".join(line for line in lines if line), mistake.name, mistake)


def _has_long_argument(outcome: Outcome) -> bool:
    return any(isinstance(argument, Sized) and len(argument) > LONG for argument in outcome.args)


def _call_lines(outcome: Outcome) -> list[str | None]:
    arguments = [show(value) for value in outcome.args]
    arguments += [f"{name}={show(value)}" for name, value in outcome.kwargs.items()]
    called = _cut(outcome.shown, WIDTH) or f"{outcome.name}({', '.join(arguments)})"
    return [_line("Called", called), _line("Tokenizer", _state(outcome))]


def _came_line(outcome: Outcome) -> str:
    if outcome.error is not None:
        place = place_of(outcome.error.__traceback__)
        where = f", in {place.function}, {place}" if place else ""
        message = f": {_cut(str(outcome.error), WIDTH)}" if str(outcome.error) else ""
        return _line("Came back", f"{type(outcome.error).__name__}{message}{where}")
    if outcome.aspect:
        return _line("Afterwards", f"{outcome.aspect} is {show(outcome.result)}")
    return _line("Came back", show(outcome.result))


def _short_came(outcome: Outcome, expected: str) -> str:
    came = type(outcome.error).__name__ if outcome.error is not None else show(outcome.result, 40)
    return f"{outcome.aspect or outcome.name} gave {came}, expected {_cut(expected, 40)}"


def _line(label: str, text: str | None) -> str | None:
    return f"{label + ':':<12}{_cut(' '.join(text.splitlines()), LINE_WIDTH)}" if text else None


_STATES: dict[str, Callable[[dict[str, Any]], str]] = {}


def describes_state(name: str) -> Callable:
    """Decorator: a function that tells the state of the objects of this class, their attributes, in one line."""

    def register(describe: Callable[[dict[str, Any]], str]) -> Callable[[dict[str, Any]], str]:
        _STATES[name] = describe
        return describe

    return register


def _state(outcome: Outcome) -> str | None:
    """The state of a tokenizer in one line; None for what has none."""
    names = [kind.__name__ for kind in type(outcome.owner).__mro__]
    describe = next((_STATES[name] for name in names if name in _STATES), None)
    return describe(outcome.state) if describe and outcome.state else None


@describes_state("BPEBase")
def _bpe_state(state: dict[str, Any]) -> str:
    merges, vocab = state["merges"], state.get("vocab", {})
    shown = ", ".join(f"{pair_text(pair, vocab)} -> {new_id}" for pair, new_id in islice(merges.items(), 3))
    more = f", ... ({len(merges)} in all)" if len(merges) > 3 else ""
    special = sorted(state.get("special_to_id", {}).values())
    pattern = next((name for name, regex in PATTERNS.items() if regex == state.get("pattern")), state.get("pattern"))
    return "; ".join(
        (
            f"merges {shown}{more}" if merges else "no merges",
            f"{len(special)} special tokens, {special[0]} to {special[-1]}" if special else "no special tokens",
            f"pattern {_cut(pattern, 20)}" if pattern else "no pattern",
        )
    )


def pair_text(pair: tuple[int, int], vocab: dict[int, bytes]) -> str:
    """A pair with the text that it stands for: (108,101) 'le'.

    >>> pair_text((108, 101), {108: b"l", 101: b"e"})
    "(108,101) 'le'"
    """
    try:
        return f"({pair[0]},{pair[1]}) {repr(vocab[pair[0]] + vocab[pair[1]])[1:]}"
    except (KeyError, TypeError, IndexError):
        return str(pair)


def section(outcome: Outcome, pitfall: str | None) -> str:
    """Where the handout explains a mistake: docs/04-tokenizer.md#pitfall-overlap.

    A mistake that can be made in every module may have no section of its own in the handout of this one.
    """
    names = {outcome.key.split(".")[0], *(kind.__name__ for kind in type(outcome.owner).__mro__)}
    known = list(modules().values())
    module = next((module for module in known if names & set(module.public_names)), known[0])
    own_section = pitfall and f'id="pitfall-{pitfall}"' in _text_of(module.handout)
    return f"{module.handout}#pitfall-{pitfall}" if own_section else f"{module.handout}#pitfalls"


@cache
def _text_of(handout: str) -> str:
    path = REPOSITORY / handout
    return path.read_text(encoding="utf-8") if path.is_file() else ""


def show(value: Any, width: int = WIDTH) -> str:
    """A value in one line of about `width` characters: its repr, or the beginning, the end and the length.

    >>> show(list(range(1000)), 40)
    '1000 items, [0, 1, 2, 3, 4, ..., 998, 999]'
    """
    text = repr(value)
    if len(text) <= width:
        return text
    if isinstance(value, (str, bytes)):
        unit = "characters" if isinstance(value, str) else "bytes"
        return f"{len(value)} {unit}, {_cut(repr(value[:width]), width - 20)}"
    if isinstance(value, dict):
        return f"{len(value)} entries, {_cut(text, width - 15)}" + "}"
    if isinstance(value, list):
        first = list(islice(value, max(width // 8, 1)))
        return f"{len(value)} items, [{', '.join(map(repr, first))}, ..., {value[-2]!r}, {value[-1]!r}]"
    if isinstance(value, tuple):
        return f"({', '.join(show(item, max(width // len(value), 20)) for item in value)})"
    return _cut(text, width)


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: width - 3] + "..."


def _name_of(owner: Any) -> str:
    if isinstance(owner, type):
        return owner.__name__
    name = type(owner).__name__
    return "tokenizer" if hasattr(owner, "vocab") or name.endswith("Tokenizer") else name.lower()
