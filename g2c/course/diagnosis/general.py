"""What no replay can show: recognizers of mistakes that can be made in any exercise.

A recognizer looks at a wrong Call and yields every Mistake that explains it, the likeliest first.
"""

import builtins
import difflib
import linecache
import re
import traceback
from bdb import BdbQuit
from collections.abc import Iterable, Iterator, Sized
from contextlib import suppress
from importlib import import_module
from types import SimpleNamespace
from typing import Any

from g2c.course.calls import A_VALUE, NO_SECTION, NOT_SAID, Call, Mistake, Result, history
from g2c.course.comparison import differing_kinds, kind_name, same
from g2c.course.student_code import place_of

FORGOT_RETURN = Mistake("nothing is returned", "A function that ends without return gives None.")
NO_END = Mistake(
    "a call that calls itself without end",
    "Each call must bring the recursion closer to its end; a loop is simpler here.",
    "endless-encode",
)
TOO_DEEP = Mistake(
    "a call that calls itself for each item",
    "Python allows about 1,000 nested calls, and a text has more tokens than that: use a loop.",
    "slow",
)
TOO_MUCH = Mistake("a list that grows without end", "A loop that appends must also end.", "endless-encode")
STALE = Mistake(
    "an earlier answer is given again",
    "A stored answer is valid only until something it was computed from changes: compute it again.",
)
KEPT = Mistake(
    "something from an earlier call is still there",
    "Start empty inside the function, in every call: a default such as counts={}, or a global name, is made only once.",
)
MISSING_KEY = Mistake(
    "a count is added to a key that does not exist yet",
    "counts[key] += 1 reads counts[key] first: use counts.get(key, 0) + 1.",
    NO_SECTION,
)
RAGGED = Mistake("an array is made of rows of different lengths", "Pad the rows first, then make the array.", "types")
TRUTH_OF_ARRAY = Mistake(
    "an array is used as a condition", "An array is neither true nor false: check its length, or use `is None`."
)
MIXED = Mistake(
    "an array is used like a list", "list + list joins, but array + array adds numbers: make lists first, or arrays."
)
LIST_AS_KEY = Mistake("a list is used as a key", "A list cannot be a key of a dictionary or be in a set: use a tuple.")
MAX_OF_NOTHING = Mistake(
    "the maximum or minimum of nothing", "Check first whether there is anything, or give max or min a default."
)
ORDER = Mistake(
    "the entries are in a different order", "The values are right; only the order differs. Keep the order of the input."
)

ERRORS: list[tuple[type[Exception], str, Mistake]] = [
    (TypeError, "unhashable type: 'list'", LIST_AS_KEY),
    (ValueError, "truth value of an array", TRUTH_OF_ARRAY),
    (ValueError, "inhomogeneous", RAGGED),
    (Exception, "ufunc|could not be broadcast|numpy.ndarray. object has no", MIXED),
    (ValueError, "(max|min)\\(\\)", MAX_OF_NOTHING),
    (
        UnboundLocalError,
        "",
        Mistake("a variable is read before it is assigned", "Assign it before the loop or in every branch."),
    ),
    (
        TypeError,
        "'NoneType' object",
        Mistake("None is used like a value", "A call before it returned None: a missing return, or nothing was found."),
    ),
    (
        TypeError,
        "(missing|takes) .* (argument|positional)",
        Mistake("a function is called with the wrong arguments", "Compare the call with the function's first line."),
    ),
    (
        TypeError,
        "does not support item assignment",
        Mistake("a value that cannot change is assigned to", "Tuples, text and bytes cannot change: build a new one."),
    ),
    (
        RuntimeError,
        "changed size during iteration|changed during iteration",
        Mistake("a collection is changed while a loop runs over it", "Loop over a copy: for item in list(items)."),
    ),
]


def certain_mistakes(call: Call) -> Iterator[Mistake]:
    """What is so for sure, whatever else was done wrong."""
    if call.aspect.startswith("argument"):
        passed = call.live_args[int(call.aspect.split()[1]) - 1]
        todo = "only look at it" if isinstance(passed, dict) else "build a new one and return that"
        yield Mistake(
            f"{_the(passed)} that was passed is changed", f"It belongs to the caller: {todo}.", "mutated-argument"
        )
    if call.raised(RecursionError):
        yield TOO_DEEP if call.has_long_argument else NO_END
    if call.raised(MemoryError):
        yield TOO_MUCH
    # A replayed mistake that raises such an error has mistyped another name.
    if isinstance(call.error, UnboundLocalError):
        pass
    elif isinstance(call.error, NameError):
        yield _unknown_name(call.error)
    elif isinstance(call.error, ImportError):
        yield _unknown_import(call.error)
    if call.error is None and call.expected is A_VALUE:
        for passed in call.live_args:
            if call.returned is passed and isinstance(passed, (list, dict, set)):
                why = "Changing the result would change the argument too."
                yield Mistake(f"the very {_the(passed)[4:]} that was passed comes back", why, "mutated-argument")
        passed = {id(item) for argument in call.live_args for item in _lists_in(argument)}
        if any(id(item) in passed for part in _lists_in(call.returned) for item in (part, *_lists_in(part))):
            why = "Changing the result would change the argument too: always make new lists."
            yield Mistake("a list that was passed is part of the result", why, "mutated-argument")


def _lists_in(value: Any) -> list[list[Any]]:
    return [item for item in value if isinstance(item, list)] if isinstance(value, (list, tuple)) else []


def _the(value: Any) -> str:
    return "the " + kind_name(value).split(" ", 1)[-1]


def kept_state(call: Call) -> Iterator[Mistake]:
    """What the code has kept from earlier calls of the same function."""
    if call.error is not None:
        return
    earlier = [one for one in history.before(call) if one.key == call.key and one.error is None]
    for one in earlier:
        if same(one.args, call.args) and same(one.kwargs, call.kwargs) and not same(one.state, call.state):
            # What returns None, or a value of the wrong kind, in every call shows no answer that was stored.
            if call.returned is not None and same(call.returned, one.returned) and not _is_of_another_kind(call):
                yield STALE
                return
    # Where nothing was expected, all that came may be made of the arguments, and is the same for the same arguments.
    nothing = isinstance(call.expected, Sized) and not len(call.expected)
    telling = [one for one in earlier if not (nothing and _share_an_argument(one, call))]
    is_kept = any(_adds_to(call, one.returned, one.state_after, one.args_after) for one in telling)
    # What an argument held before this call does not come from an earlier one.
    if is_kept and not _adds_to(call, None, {}, call.args):
        yield KEPT


def _is_of_another_kind(call: Call) -> bool:
    if isinstance(call.expected, type) or call.expected is NOT_SAID or call.expected is A_VALUE:
        return False
    return differing_kinds(call.result, call.expected) is not None


def _share_an_argument(one: Call, call: Call) -> bool:
    """Whether both calls were passed the same collection, and it is not empty."""
    pairs = zip(one.args, call.args)
    return any(isinstance(passed, Sized) and len(passed) > 0 and same(passed, other) for passed, other in pairs)


def _adds_to(call: Call, returned: Any, state: dict[str, Any], args: tuple[Any, ...]) -> bool:
    """Whether what came is added to what the test, looking in the same way, would see of these values."""
    seen = None
    with suppress(Exception):
        seen = call.look(Result(returned, SimpleNamespace(**state), args))
    return _is_added_up(seen, call)


def _is_added_up(before: Any, call: Call) -> bool:
    """Whether what came is what an earlier call gave, and what was expected in addition."""
    came, expected = call.result, call.expected
    if not before or type(before) is not type(came) or not isinstance(expected, type(came)):
        return False
    if isinstance(came, list):
        return same(came, before + expected)
    if isinstance(came, dict) and all(isinstance(value, int) for value in (*came.values(), *expected.values())):
        more = {key: value - expected.get(key, 0) for key, value in came.items()}
        if same({key: value for key, value in more.items() if value}, before):
            return True
    if isinstance(came, (dict, set)):
        return set(came) > set(expected) and set(came) - set(expected) <= set(before)
    return False


def error_mistakes(call: Call) -> Iterator[Mistake]:
    """Errors that Python itself raises, each for one kind of slip."""
    error = call.error
    if error is None:
        return
    if isinstance(call.expected, type) and getattr(error, "obj", None) is not call.owner:
        # The test passes something wrong on purpose: that it lacks a method is not a slip.
        return
    if isinstance(error, KeyError) and re.search(r"\]\s*[-+|]=|(\w+\[.+\])\s*=\s*\1\s*[-+|]", _line_of(error)):
        yield MISSING_KEY
    for kind, words, mistake in ERRORS:
        if isinstance(error, kind) and re.search(words, str(error)):
            yield mistake
            return
    if isinstance(error, AttributeError) and error.name:
        yield _unknown_attribute(error)


def _unknown_name(error: NameError) -> Mistake:
    name = str(error.name)
    trace = list(traceback.walk_tb(error.__traceback__))
    known = {*trace[-1][0].f_locals, *trace[-1][0].f_globals, *vars(builtins)} if trace else set()
    owner = trace[-1][0].f_locals.get("self") if trace else None
    why = "A typing error? If not, it has to be assigned or imported first."
    if owner is not None and hasattr(owner, name):
        why = f"It belongs to the object: write self.{name}."
    elif similar := _similar(name, known):
        why = f"A typing error for {similar!r}?"
    return Mistake(f"there is no name {name!r}", why, NO_SECTION)


def _unknown_attribute(error: AttributeError) -> Mistake:
    similar = _similar(str(error.name), dir(error.obj))
    why = f"A typing error? The value before the dot is {kind_name(error.obj)}."
    if similar:
        why = f"A typing error for {similar!r}?"
    return Mistake(f"there is no attribute or method {error.name!r}", why, NO_SECTION)


def _unknown_import(error: ImportError) -> Mistake:
    if error.name is None:
        # Where a class is graded: the whole file, for whatever reason.
        return Mistake("the file cannot be imported", "So nothing in it can be called.", NO_SECTION)
    missing = re.match(r"cannot import name '(\w+)'", str(error))
    if missing is None or not error.name:
        return Mistake(f"there is no module {error.name!r}", "A typing error, or a missing package?", NO_SECTION)
    similar = _similar(missing[1], dir(import_module(error.name)))
    why = f"A typing error for {similar!r}?" if similar else "A typing error, or a name of another module?"
    return Mistake(f"the module {error.name!r} has no {missing[1]!r}", why, NO_SECTION)


def _similar(name: str, known: Iterable[str]) -> str | None:
    """The known name that is most like a mistyped one.

    >>> _similar("conts", ["ids", "counts"])
    'counts'
    """
    return next(iter(difflib.get_close_matches(name, known, 1, 0.7)), None)


def _line_of(error: BaseException) -> str:
    place = place_of(error.__traceback__)
    return linecache.getline(place.file, place.line) if place else ""


def shape_mistakes(call: Call) -> Iterator[Mistake]:
    """A value of the wrong kind, or in the wrong order."""
    if (
        call.error is not None
        or isinstance(call.expected, type)
        or call.expected is NOT_SAID
        or call.expected is A_VALUE
    ):
        return
    if call.returned is None and (call.result is None or call.unseen):
        yield FORGOT_RETURN
    elif call.unseen:
        yield Mistake("what comes back has a different structure", "Compare it with the example in the docstring.")
    elif kinds := differing_kinds(call.result, call.expected):
        came, belongs = kinds
        yield Mistake(f"{came} where {belongs} belongs", _KINDS_WHY.get(came, f"It should be {belongs}."))
    elif isinstance(call.expected, list) and _sorted(call.result) == _sorted(call.expected):
        yield ORDER


_KINDS_WHY = {
    "an iterator": "yield, map, zip and (... for ...) make one, which is read only once: collect the values first.",
    "an array": "array.tolist() makes a list of numbers of it.",
    "a tuple": "A tuple never equals a list. Return what the docstring says, and nothing else.",
    "False": "None means that there is nothing; False means something else.",
}


def _sorted(values: Any) -> list[str]:
    return sorted(map(repr, values))


def last_resorts(call: Call) -> Iterator[Mistake]:
    """What can be said of any wrong call: an error instead of a value, or the other way round."""
    if isinstance(call.expected, type) and issubclass(call.expected, Exception):
        kind = call.expected.__name__
        if call.error is None:
            yield Mistake("no error is raised", f"Invalid input must not go unnoticed: raise a {kind}.")
        elif isinstance(call.error, call.expected):
            yield Mistake("the error does not say what is wrong", "Include the wrong value in the message.")
        else:
            name = type(call.error).__name__
            yield Mistake(f"{name} where {kind} belongs", f"Check for this case first, and raise a {kind}.")
    elif isinstance(call.error, BdbQuit) or "reading from stdin" in str(call.error):
        yield Mistake(
            "breakpoint() and input() wait for a keyboard", "Run this test in a terminal: pytest -s", NO_SECTION
        )
    elif call.error is not None and call.expected is not NOT_SAID:
        name = type(call.error).__name__
        yield Mistake(f"{name} for arguments that are allowed", "Try these arguments on the line that raised it.")
