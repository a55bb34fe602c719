"""Recognizes mistakes that can be made in any exercise, and that no replay can show.

A recognizer takes the Observation of a wrong call and yields every Mistake that explains it, the likeliest first.
"""

import ast
import inspect
from bdb import BdbQuit
from collections.abc import Iterator
from dataclasses import replace
from types import FunctionType
from typing import Any

from coach.diagnosis.outcomes import is_raised_by_a_statement
from coach.diagnosis.slips import changes_nothing, is_nothing, lost_result
from coach.diagnosis.syntax import definition_of, match, nodes_of, stored_names
from coach.testing.calls import Call
from coach.testing.comparison import differing_kinds, kind_name, message_of, repr_of, same
from coach.testing.limits import EndedProcess, OverLimit, lines_of
from coach.testing.observation import A_VALUE, NOT_SAID, Observation
from coach.testing.report import NO_SECTION, Mistake, cut
from coach.testing.student_code import is_student_file

NO_END = Mistake(
    "the function calls itself without end",
    "Each call must bring the recursion closer to its end; a loop is simpler here.",
    "endless-encode",
)
TOO_DEEP = Mistake(
    "the function calls itself too often",
    "Python allows about 1,000 nested calls, and a long argument needs more of them: use a loop.",
    "slow",
)
ENDS_ALL = Mistake(
    "the code ends the whole program",
    "exit, sys.exit and os._exit leave no one to use the result: return a value, or raise an error.",
    NO_SECTION,
)
LEFT_OVER = Mistake(
    "something from an earlier call is still there",
    "Start empty inside the function: a default such as counts={}, an attribute or a global is created only once.",
)
OUTDATED = Mistake(
    "an earlier result is returned again",
    "The object has changed since then: keep results only within one call, or forget them when it changes.",
    NO_SECTION,
)
NOTHING_KEPT = Mistake(
    "nothing is put into the result", "It comes back as empty as it began. Does the loop run, and is its result kept?"
)
OTHER_ORDER = Mistake("the entries are in a different order", "The values are right; only their order differs.")


def certain_mistakes(seen: Observation) -> Iterator[Mistake]:
    """Yield mistakes that are certain, whatever else is wrong."""
    if isinstance(seen.target, int):
        yield _changed_argument(seen.call, seen.target)
    for earlier in seen.call.before(seen.call.history.test_began):
        for place in _changed_places(earlier):
            if any(earlier.passed[place] is one for one in seen.call.passed):
                changed = _changed_argument(earlier, place)
                yield replace(changed, name=f"{changed.name}, in a call before this one")
    if isinstance(seen.target, str) and _is_hidden(seen.target, seen.call):
        why = f"{seen.target} without self. is a new variable, which ends with the call: write self.{seen.target}."
        yield Mistake(f"a variable of the function has the name {seen.target}", why, NO_SECTION)
    if isinstance(seen.error, RecursionError):
        yield TOO_DEEP if seen.call.is_long else NO_END
    if isinstance(seen.error, (SystemExit, EndedProcess)):
        yield ENDS_ALL


def _changed_places(call: Call) -> list[int]:
    """List the positions of the lists, dictionaries and sets among the arguments that a call has changed."""
    places = [place for place, after in enumerate(call.effect.args) if isinstance(after, (list, dict, set))]
    return [place for place in places if not same(call.effect.args[place], call.args[place])]


def _changed_argument(call: Call, place: int) -> Mistake:
    passed, value = call.args[place], call.effect.value
    # A dictionary is another kind of result, such as counts.
    returned = value if isinstance(value, tuple) else () if isinstance(value, dict) else (value,)
    makes_one = any(isinstance(one, type(passed)) for one in returned)
    todo = "build a new one and return that" if makes_one else "read it, but do not change it"
    name = f"the {kind_name(passed).split(' ', 1)[-1]} that was passed is changed"
    return Mistake(name, f"It belongs to the caller: {todo}.", "mutated-argument")


def over_limit(limit: OverLimit, call: Call) -> Mistake:
    """Name the mistake of a call that was stopped."""
    name = limit.function or "the test"
    if call.is_long and call.key not in call.history.endless and not limit.megabytes:
        if any(match("print(...)", node) is not None for node in nodes_of(call.function)):
            why = "Remove print before you run all tests."
            return Mistake(f"{name} prints too much for a long argument", why, NO_SECTION)
        why = "Look at each item about once: a loop in the loop (count, index, a copy, a new table) takes too long."
        return Mistake(f"{name} is too slow for a long argument", why, "slow")
    if limit.megabytes:
        why = "Something grows far larger than the arguments: a table of all IDs, or a list that never stops growing."
        return Mistake(f"{name} takes too much memory", why, NO_SECTION)
    why = "Each iteration must bring the loop closer to its end, and the loop must end when nothing is left to do."
    if lost := lost_result(nodes_of(call.function)):
        why = f"Line {lost.lineno} does not keep the result of {ast.unparse(lost.func)}, so nothing changes."
    return Mistake(f"{name} takes too long" if limit.returns else f"{name} never returns", why, "endless-encode")


def kept_state(seen: Observation) -> Iterator[Mistake]:
    """Recognize an outdated result, a default such as counts={} that has filled up, and a global that is returned."""
    call, result = seen.call, seen.call.effect.value
    function = getattr(call.function, "__func__", call.function)
    code = inspect.unwrap(function) if callable(function) else None
    earlier = [one for one in call.before() if one.key == call.key]
    if not isinstance(code, FunctionType) or not earlier or is_nothing(result):
        return
    of_class = vars(type(call.owner)).values()
    defaults = [one.default for one in inspect.signature(code).parameters.values() if one.default]
    lasting = [*code.__globals__.values(), *of_class]
    tables = [*getattr(call.owner, "__dict__", {}).values(), *defaults, *lasting]
    entries = [value for table in tables if isinstance(table, dict) for value in table.values()]
    # functools.cache and lru_cache, on this method or on a helper beside it.
    has_cache = function is not code or any(hasattr(one, "cache_clear") for one in of_class)
    if (has_cache or any(same(value, result) for value in entries)) and _gave_the_same(call, earlier):
        yield OUTDATED
        return
    kept = [*defaults, *(value for value in (*lasting, *entries) if value is result)]
    if _grows(call, earlier, code) or any(isinstance(value, (list, dict, set)) for value in kept):
        yield LEFT_OVER


def _gave_the_same(call: Call, earlier: list[Call]) -> bool:
    """Tell whether the same arguments gave the same result before, when the object was in another state."""
    asked = call.args, call.kwargs
    again = [one for one in earlier if one.owner is call.owner is not None and same(asked, (one.args, one.kwargs))]
    return any(same(call.effect.value, one.effect.value) and not same(call.state, one.state) for one in again)


def _grows(call: Call, earlier: list[Call], code: FunctionType) -> bool:
    """Tell whether the result contains all that an attribute contained before the call, or an earlier result."""
    result = call.effect.value
    names = [name for name, value in getattr(call.owner, "__dict__", {}).items() if value is result]
    before = [call.state.get(name) for name in names]
    if _has_default_made_once(code):
        # Where submissions are graded, the default itself is in another process.
        before += [one.effect.value for one in earlier if type(one.effect.value) is type(result)]
    is_collection = isinstance(result, (dict, list, set))
    return is_collection and any(old and all(one in result for one in old) for old in before)


def _has_default_made_once(function: FunctionType) -> bool:
    """Tell whether the `def` line of a function has a default such as counts={}."""
    definition = definition_of(function)
    defaults = [*definition.args.defaults, *definition.args.kw_defaults] if definition else []
    return any(isinstance(default, (ast.List, ast.Dict, ast.Set)) for default in defaults)


def changed_state(seen: Observation) -> Iterator[Mistake]:
    """Recognize an attribute that the method should have set, or should have left as it was."""
    call, name = seen.call, seen.target
    if not isinstance(name, str) or name not in call.state or same(seen.result, seen.expected):
        return
    value = call.effect.value
    returned = value if isinstance(value, tuple) else (value,)
    if same(seen.result, call.state[name]) and any(same(value, seen.expected) for value in returned):
        yield Mistake(f"{name} is returned, but not set", f"Assign it to the object: self.{name} = ...", NO_SECTION)
    elif same(call.state[name], seen.expected):
        others = [one for one in call.before() if one.key == call.key]
        if any(not same(one.state.get(name), one.effect.state.get(name)) for one in others):
            yield Mistake(f"{call.verb} changes {name} in a case in which it must stay", _STAYS)
        else:
            yield Mistake(f"{call.verb} changes {name}", "This method should only read it.")


_STAYS = "Should it change at all? If it should in other cases, check for this case first."


def _is_hidden(name: str, call: Call) -> bool:
    """Tell whether code that leaves an attribute as it was sets a variable of the same name."""
    is_set = name in stored_names(nodes_of(call.function))
    return is_set and name in call.state and same(call.effect.state.get(name), call.state[name])


_NO_RESULT = (ast.Call, ast.Constant, ast.Yield, ast.YieldFrom)
"""Expressions that may be the last statement of a function for another reason than their value."""


def _returned_none(seen: Observation) -> Mistake:
    """Say which `return` may have returned None, as far as the code tells."""
    nodes = nodes_of(seen.call.function)
    returns = [node for node in nodes if isinstance(node, ast.Return) and _may_be_none(node.value, nodes)]
    if not returns:
        last = nodes[0].body[-1] if nodes and isinstance(nodes[0], ast.FunctionDef) else None
        if isinstance(last, ast.Expr) and (changes_nothing(last.value) or not isinstance(last.value, _NO_RESULT)):
            return Mistake("nothing is returned", f"Line {last.lineno} computes a value: write return before it.")
        return Mistake("nothing is returned", "A function that ends without return returns None.")
    lines = [str(line) for line in sorted(node.lineno for node in returns)]
    where = f"in line {lines[0]}" if len(lines) == 1 else f"in one of the lines {', '.join(lines)}"
    definition: Any = nodes[0]
    ends = not isinstance(definition.body[-1], ast.Return)
    if not all(node.value is None or isinstance(node.value, ast.Constant) for node in returns):
        return Mistake("None is returned", f"It comes from the return {where}{', or the end of the function' * ends}.")
    end = ", or the end of the function," * ends
    return Mistake("None is returned", f"The return {where}{end} was reached. Here, it must not be.")


_VALUES = (
    *(ast.List, ast.Dict, ast.Set, ast.Tuple, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp),
    *(ast.BinOp, ast.UnaryOp, ast.Compare, ast.JoinedStr),
)
"""Expressions that are never None."""
_MAKERS = {"bytes", "dict", "float", "int", "len", "list", "set", "sorted", "str", "sum", "tuple"}
"""Functions that never return None."""


def _may_be_none(value: ast.expr | None, code: list[ast.AST]) -> bool:
    """Tell whether a returned expression can be None. A variable cannot if a loop sets it, or if all that is assigned
    to it cannot."""
    if value is None or isinstance(value, ast.Constant):
        return value is None or value.value is None
    if isinstance(value, ast.IfExp):
        return _may_be_none(value.body, code) or _may_be_none(value.orelse, code)
    if not isinstance(value, ast.Name):
        return not isinstance(value, _VALUES) and getattr(getattr(value, "func", None), "id", "") not in _MAKERS
    given: dict[ast.AST, ast.expr | None] = {}
    for node in code:
        if isinstance(node, ast.Assign):
            given |= dict.fromkeys(node.targets, node.value)
        elif isinstance(node, (ast.For, ast.comprehension, ast.AugAssign)):
            given[node.target] = ast.Constant(0)
    stored = [node for node in code if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)]
    mine = [given.get(node) for node in stored if node.id == value.id]
    return not mine or any(_may_be_none(one, []) for one in mine)


def shape_mistakes(seen: Observation) -> Iterator[Mistake]:
    """Recognize a value of the wrong kind, or in the wrong order."""
    expected, result, is_returned = seen.expected, seen.result, not seen.afterwards
    if seen.error is not None or isinstance(expected, type) or expected is NOT_SAID or expected is A_VALUE:
        return
    if is_returned and seen.call.effect.value is None and (result is None or seen.unseen):
        yield _returned_none(seen)
    elif seen.unseen:
        yield _missing_entry(seen) or Mistake("what comes back has a different structure", _example(seen))
    elif isinstance(expected, tuple) and same(result, list(expected)):
        yield Mistake("a list where a tuple belongs", "The values are right: write ( ) or nothing in place of [ ].")
    elif isinstance(expected, tuple) and len({*map(type, expected)}) > 1 and _reordered(seen):
        yield Mistake("the results are in another order", "Return them in the order expected.", NO_SECTION)
    elif kinds := differing_kinds(result, expected):
        came, belongs = kinds
        name = f"{came} where {belongs} {'belong' if belongs == 'bytes' else 'belongs'}"
        whys = [why for kinds, why in _KINDS_WHY.items() if is_returned and name.startswith(kinds)]
        yield Mistake(name, [*whys, _example(seen)][0])
    elif isinstance(expected, tuple) and same(result, expected[: len(result)]):
        yield Mistake("a part of the result is missing", "Return all the values that are expected, in this order.")
    elif is_returned and seen.call.effect.value is not None and _is_always_empty(seen):
        yield NOTHING_KEPT
    elif isinstance(expected, list) and _reordered(seen):
        changed = _changed_places(seen.call)
        yield _changed_argument(seen.call, changed[0]) if changed else OTHER_ORDER


def _is_always_empty(seen: Observation) -> bool:
    """Tell whether no call of the function has returned any item, and no condition leaves items out."""
    if not isinstance(seen.expected, (list, dict, str)) or not seen.expected or seen.result != type(seen.expected)():
        return False
    has_come = any(one.key == seen.call.key and one.effect.value for one in seen.call.before())
    return not has_come and not _chooses(nodes_of(seen.call.function))


def _missing_entry(seen: Observation) -> Mistake | None:
    """Name the key that a test looked up and a dictionary lacks, if its other keys are of the same kind."""
    value = seen.call.effect.value
    try:
        seen.look(seen.call.effect)
    except Exception as error:
        key = error.args[0] if isinstance(error, KeyError) else None
        if isinstance(value, dict) and key is not None and all(type(one) is type(key) for one in value):
            return Mistake("an entry is missing", f"The dictionary has no key {cut(repr_of(key), 60)}.")
    return None


_KINDS_WHY = {
    "an iterator": "yield, map, zip and (... for ...) make one, which can be read only once: collect the values first.",
    "an array where a list": "array.tolist() turns it into a list of numbers.",
    "a function": "It is not called: write its parentheses.",
    "a tuple": "Return what is expected, and nothing else.",
    "False where None": "None means that there is nothing; False means something else.",
}


def _example(seen: Observation) -> str:
    has_example = ">>>" in (getattr(seen.call.function, "__doc__", "") or "")
    return "Compare it with the example in the docstring." if has_example else "Compare it with what is expected."


def _chooses(code: list[ast.AST]) -> bool:
    """Tell whether a return leaves out some of what was collected: [... for ... if ...]."""
    returned = [part for node in code if isinstance(node, ast.Return) for part in ast.walk(node)]
    return any(isinstance(part, ast.comprehension) and part.ifs for part in returned)


def _reordered(seen: Observation) -> bool:
    """Tell whether a list or tuple came back with the right items, in another order. Of many items of two kinds, such
    as 0 and 1, as many of each say nothing about the order; nor do items that are drawn at random."""
    definition = definition_of(seen.call.function)
    named = [*definition.args.args, *definition.args.kwonlyargs] if definition else []
    if not isinstance(seen.result, (list, tuple)) or any(one.arg == "seed" for one in named):
        return False
    came, belong = (sorted(map(repr_of, one)) for one in (seen.result, seen.expected))
    return came == belong and not len({*came}) <= 2 < len(came)


def last_resorts(seen: Observation) -> Iterator[Mistake]:
    """Describe any wrong call: an error instead of a value, or the other way round."""
    if isinstance(seen.expected, type) and issubclass(seen.expected, Exception):
        kind = seen.expected.__name__
        if seen.error is None:
            yield Mistake("no error is raised", f"This call must raise a {kind}.")
        elif isinstance(seen.error, seen.expected):
            missing = repr(seen.message) if seen.message else "the wrong value"
            if is_raised_by_a_statement(seen.error, in_doubt=True):
                yield Mistake("the error's message lacks something", f"It must contain {missing}.")
            else:
                why = f"It says nothing of {missing}: check for this case first, and raise a {kind} that names it."
                yield Mistake(f"this {kind} is Python's own", why)
        elif type(seen.error).__name__ == kind:
            yield Mistake(f"{kind} is a class of your own here", f"Remove the class: Python has a {kind} already.")
        else:
            name = type(seen.error).__name__
            yield Mistake(f"{name} where {kind} belongs", f"Check for this case first, and raise a {kind}.")
    elif seen.error is None:
        return
    elif isinstance(seen.error, BdbQuit) or "reading from stdin" in message_of(seen.error):
        yield Mistake(
            "breakpoint() and input() wait for a keyboard", "Run this test in a terminal: pytest -s", NO_SECTION
        )
    elif seen.expected is not NOT_SAID:
        name = type(seen.error).__name__
        yield Mistake(f"{name} for arguments that must work", _why_unexpected(seen.error, seen.call), NO_SECTION)


def _why_unexpected(error: BaseException, call: Call) -> str:
    """Say what to look at after an error that no other rule explains."""
    line, inside = _last_own_line(error, call)
    if inside:
        return f"It is raised in {inside}, which line {line} calls: compare what that line passes with what it takes."
    if line and is_raised_by_a_statement(error):
        return f"A check leads to the raise in line {line}, but should not."
    if isinstance(error, IndexError):
        return "The index in the brackets does not exist: find out where it comes from."
    if isinstance(error, KeyError):
        if message_of(error) == "None":
            return "There is no key None: find out why what is in the brackets is None here, and check for it first."
        return (
            f"There is no key {cut(message_of(error), 60)}. Do the other keys look like it? "
            "Find out where it comes from, or check with `in`."
        )
    why = f"Go through {f'line {line}' if line else 'your code'} with these values."
    return f"{why} Which of them has the wrong type?" if isinstance(error, TypeError) else why


def _last_own_line(error: BaseException, call: Call) -> tuple[int, str]:
    """Return the line of an exercise that an error passed through last, or 0, and the function called there that raised
    it, or ""."""
    exercises = {exercise.name for exercise in call.module.exercises} if call.module else set()
    line, inside = 0, ""
    constants: tuple[Any, ...] = ()
    for code, number in lines_of(error.__traceback__):
        # A comprehension is a function too, which is among the constants of the one around it.
        if (code.co_name in exercises or code in constants) and is_student_file(code.co_filename):
            line, inside, constants = number, "", code.co_consts
        elif line and not inside:
            inside = code.co_name
    return line, inside
