"""What no replay can show: recognizers of mistakes that can be made in any exercise.

A recognizer looks at a wrong Call and yields every Mistake that explains it, the likeliest first.
"""

from bdb import BdbQuit
from collections.abc import Iterator
from contextlib import suppress
from types import FunctionType, SimpleNamespace
from typing import Any

from g2c.course.calls import A_VALUE, NO_SECTION, NOT_SAID, Call, Mistake, Result, history
from g2c.course.comparison import differing_kinds, kind_name, same
from g2c.course.limits import EndedProcess

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
ENDS_ALL = Mistake(
    "the code ends the whole program",
    "exit, sys.exit and os._exit leave no one to use the result: return a value, or raise an error.",
    NO_SECTION,
)
TOO_MUCH = Mistake("a list that grows without end", "A loop that appends must also end.", "endless-encode")
KEPT = Mistake(
    "something from an earlier call is still there",
    "Start empty inside the function, in every call: a default such as counts={}, or a global name, is made only once.",
)
EMPTY = Mistake(
    "nothing is put into the result", "It comes back as empty as it began: does the loop run, and is its result kept?"
)
ORDER = Mistake("the entries are in a different order", "The values are right; only their order differs.")


def certain_mistakes(call: Call) -> Iterator[Mistake]:
    """What is certain, whatever else is wrong."""
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
    if call.raised(SystemExit, EndedProcess):
        yield ENDS_ALL
    if call.error is None and call.expected is A_VALUE:
        for passed in call.live_args:
            if call.returned is passed and isinstance(passed, (list, dict, set)):
                why = "Changing the result would change the argument too."
                yield Mistake(f"{_the(passed)} that was passed is returned", why, "mutated-argument")
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
    if call.error is None and _can_keep(call):
        earlier = [one for one in history.before(call) if one.key == call.key and one.error is None]
        if any(_adds_to(call, one.returned, one.state_after, one.args_after) for one in earlier):
            yield KEPT


def _can_keep(call: Call) -> bool:
    """Whether the called function has a place where something can last: a default, a global or a class's name."""
    function = getattr(call.function, "__func__", call.function)
    if not isinstance(function, FunctionType):
        return False
    values = [*(function.__defaults__ or ()), *(function.__kwdefaults__ or {}).values()]
    for table in (function.__globals__, vars(type(call.owner))):
        values += [table[name] for name in function.__code__.co_names if name in table]
    return any(isinstance(value, (list, dict, set)) for value in values)


def changed_state(call: Call) -> Iterator[Mistake]:
    """An attribute that the method should have set, and one that it should only have read."""
    name = call.aspect.rpartition(".")[2]
    if name not in call.state or same(call.result, call.expected):
        return
    returned = call.returned if isinstance(call.returned, tuple) else (call.returned,)
    if same(call.result, call.state[name]) and any(same(value, call.expected) for value in returned):
        yield Mistake(f"{name} is returned, but not set", f"Assign it to the object: self.{name} = ...", NO_SECTION)
    elif same(call.state[name], call.expected):
        yield Mistake(f"{call.key.split('.')[-1]} changes {name}", "This method should only read it.")


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
        verb = "belong" if belongs == "bytes" else "belongs"
        yield Mistake(f"{came} where {belongs} {verb}", _KINDS_WHY.get(came, f"Here it should be {belongs}."))
    elif isinstance(call.expected, (list, dict, str)) and call.expected and call.result == type(call.expected)():
        yield EMPTY
    elif isinstance(call.expected, list) and _sorted(call.result) == _sorted(call.expected):
        yield ORDER


_KINDS_WHY = {
    "an iterator": "yield, map, zip and (... for ...) make one, which can be read only once: collect the values first.",
    "an array": "array.tolist() turns it into a list of numbers.",
    "a tuple": "Return what the docstring says, and nothing else.",
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
        why = "Try these arguments on the line that raised it."
        if isinstance(call.error, LookupError):
            why = (
                "The key or index in the brackets does not exist: find out where it comes from, or check it with `in`."
            )
        yield Mistake(f"{name} for arguments that are allowed", why, NO_SECTION)
