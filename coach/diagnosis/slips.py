"""Recognizes slips in Python: errors that Python itself raises, and code that cannot do what it seems to.

A slip is named only if the error or the code leaves no doubt. Code is read as a syntax tree (syntax.py), so it does not
matter how it was typed. Slips have no section in a handout.
"""

import ast
import builtins
import difflib
import inspect
import re
import tomllib
from collections.abc import Iterable, Iterator, Set
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import FunctionType, MethodType, ModuleType
from typing import Any, TypeGuard

from coach.diagnosis.syntax import (
    COMPREHENSIONS,
    Letters,
    Spot,
    imported_names,
    match,
    nodes_of,
    return_in_first_iteration,
    spot_of,
    stored_names,
)
from coach.testing.comparison import message_of, repr_of
from coach.testing.observation import Observation
from coach.testing.report import NO_SECTION, Mistake


@dataclass(frozen=True)
class Slip:
    """Names the slip behind an error; slips.toml explains the fields."""

    error: str
    name: str
    why: str
    example: str
    at: str = ""
    within: str = ""
    when: str = ""


QUOTES = "'\""
IN_THE_LOOP = "the function returns inside the loop"
"""A mistake of wrong solutions in the bank, too. Where the rule below finds it, it names the line."""


@cache
def slips_of_errors() -> list[Slip]:
    """Read slips.toml."""
    table = tomllib.loads(Path(__file__).with_name("slips.toml").read_text(encoding="utf-8"))
    return [Slip(**slip) for slip in table["slip"]]


def kind_of(error: BaseException) -> str:
    """Say what is remarkable about an error, in words that are the same in every version of Python."""
    kind = class_of(error)
    if isinstance(error, KeyError):
        # Grading makes the error anew, from its text.
        return f"{kind} {message_of(error).strip(QUOTES)}"
    if isinstance(error, IndexError):
        # The kind of sequence: "list index out of range".
        return f"{kind} {message_of(error).partition(' ')[0]}"
    said = (slip.name for slip in slips_of_errors() if slip.error != kind and re.search(slip.error, _said(error)))
    # The same here: an error made anew has no attribute `name`.
    named = re.search(r"^name '(\w+)'|no attribute '(\w+)'", message_of(error)[:1000])
    name = getattr(error, "name", None) or (named[1] or named[2] if named else "")
    return f"{kind} {name} {next(said, '')}"


def class_of(error: BaseException) -> str:
    """Return the name of an error's class. Since Python 3.13, that of `re.error` is PatternError."""
    return "error" if isinstance(error, re.error) else type(error).__name__


def _said(error: BaseException) -> str:
    """Return an error's class and the beginning of its message: the regexes take long for a long one."""
    return f"{type(error).__name__}: {message_of(error)[:1000]}"


def error_slips(seen: Observation) -> Iterator[Mistake]:
    """Yield the slip that the error of a call reveals."""
    error = seen.error
    if error is None or (isinstance(seen.expected, type) and getattr(error, "obj", seen) is not seen.call.owner):
        # The test passes a wrong value on purpose, and that it lacks a method is no slip.
        return
    spot = spot_of(seen)
    if named := _misspelled(error, spot) or _shadowed(error, spot):
        yield named
        return
    for slip in slips_of_errors():
        found = re.search(slip.error, _said(error))
        letters = _letters(slip, spot, seen) if found else None
        if found and letters is not None:
            name, why = (_filled(found.expand(text), letters) for text in (slip.name, slip.why))
            yield Mistake(name, why, _section(error))
            return


def _letters(slip: Slip, spot: Spot | None, seen: Observation) -> Letters | None:
    """Return what the letters in a slip's patterns stand for; None if one of its conditions fails."""
    letters: Letters | None = {}
    if (slip.at or slip.within) and spot is None:
        return None
    if spot and slip.at:
        letters = match(slip.at, spot.node, letters)
    if spot and slip.within and letters is not None:
        letters = match(slip.within, spot.statement, letters)
    if not spot or not slip.when or letters is None:
        return letters
    try:
        values = {letter: spot.value(node) for letter, node in letters.items() if letter in slip.when}
        given = seen.call.args
        is_ids = type(values["X"]) is list and values["X"] in given and {*map(type, values["X"])} == {int}
        return {**letters, "N": ast.Name("ID" if is_ids else "item")} if eval(slip.when, {"len": len}, values) else None
    except Exception:
        return None


def _filled(text: str, letters: Letters) -> str:
    """Put the student's code in place of {X[Y]}."""
    code = {letter: ast.unparse(node) for letter, node in letters.items()}
    parts = re.split(r"\{([A-Z][^a-z}]*)\}", text)
    parts[1::2] = [re.sub("[A-Z]", lambda letter: code[letter[0]], part) for part in parts[1::2]]
    return "".join(parts)


def _section(error: BaseException | None) -> str | None:
    """Let the test choose the section for an IndexError: the end of a list may be what the exercise is about."""
    return None if isinstance(error, IndexError) else NO_SECTION


def _misspelled(error: BaseException, spot: Spot | None) -> Mistake | None:
    """Find the name that a misspelled one stands for: one letter may differ, or one in five of a long name."""
    name: str = getattr(error, "name", None) or ""
    scopes: tuple[Iterable[str], ...] = ()
    kind = "name"
    if isinstance(error, AttributeError):
        kind, scopes = "attribute or method", ([one for one in dir(error.obj) if not one.startswith("__")],)
    elif isinstance(error, NameError) and spot and name in spot.frame.f_code.co_names:
        scopes = (spot.frame.f_locals, spot.frame.f_globals, dir(builtins))
    for scope in scopes if name and name not in ("encode", "decode") else ():
        names = [one for one in scope if abs(len(one) - len(name)) <= max(1, len(name) // 5)]
        if near := difflib.get_close_matches(name, names, 1, max(min(0.8, 1 - 1.01 / len(name)), 0.4)):
            return Mistake(f"there is no {kind} {name!r}", f"Did you mean: {near[0]!r}?", NO_SECTION)
    return None


def _shadowed(error: BaseException, spot: Spot | None) -> Mistake | None:
    """Find the function of Python that is called, but is a variable here: list = [1, 2]."""
    called = spot.node.func if spot and isinstance(spot.node, ast.Call) else None
    if spot is None or not isinstance(called, ast.Name) or "not callable" not in message_of(error):
        return None
    if not hasattr(builtins, called.id) or callable(spot.value(called)):
        return None
    why = f"Give the variable another name. In a notebook, also run `del {called.id}` in a cell."
    return Mistake(f"a variable hides Python's {called.id}", why, NO_SECTION)


# --- in the code ------------------------------------------------------------------------------------------------------


def _lost_change(code: list[ast.AST], seen: Observation) -> bool:
    """a for loop sets its variable again in each iteration. What the loop adds to it is lost: use a while loop."""

    def is_lost(block: list[ast.stmt], variable: ast.AST, depth: int) -> bool:
        for place, statement in enumerate(block):
            rest = [part for later in block[place + 1 :] for part in ast.walk(later)]
            is_read = any(match("V", part, {"V": variable}) for part in rest if isinstance(part, ast.Name))
            if depth and not is_read and match("V += Z or V = V + Z", statement, {"V": variable}) is not None:
                return True
            for branch in (statement.body, statement.orelse) if isinstance(statement, ast.If) else ():
                leaves = bool(branch) and isinstance(branch[-1], (ast.Continue, ast.Break))
                if (leaves or not is_read) and is_lost(branch, variable, depth + 1):
                    return True
        return False

    loops = [node for node in code if isinstance(node, ast.For) and match("range(X) or range(X, Y)", node.iter)]
    return any(is_lost(loop.body, loop.target, 0) for loop in loops)


def _nothing_kept(code: list[ast.AST], seen: Observation) -> bool:
    """the result of a method that returns None is used. append, reverse, sort and add change the object itself."""
    function: Any = seen.call.function
    # The cell of a notebook may import nothing; where submissions are graded, the code runs in another process.
    modules = {name for name, value in function.__globals__.items() if isinstance(value, ModuleType)}
    modules |= imported_names(function)
    users = (ast.Assign, ast.Return, ast.Subscript, ast.Attribute)
    used = [getattr(node, "value", None) for node in code if isinstance(node, users)]
    used += [node.iter for node in code if isinstance(node, ast.For)]
    used += [part for node in code if isinstance(node, ast.Call) for part in node.args]
    methods = [node.func for node in used if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    changers = {"add", "append", "clear", "discard", "extend", "insert", "remove", "reverse", "sort", "update"}
    return any(one.attr in changers and ast.unparse(one.value) not in {"self", *modules} for one in methods)


def _statements(code: list[ast.AST]) -> list[ast.Expr]:
    """List the expressions that are statements. The last one of a function without return lacks its return."""
    has_return = any(isinstance(node, ast.Return) for node in code)
    forgotten = [] if has_return else [node.body[-1] for node in code[:1] if isinstance(node, ast.FunctionDef)]
    return [node for node in code if isinstance(node, ast.Expr) and node not in forgotten]


def _compared_only(code: list[ast.AST], seen: Observation) -> bool:
    """== is written where = belongs. = stores a value; == only compares two."""
    return any(match("X == Y", node) for node in _statements(code))


def _thrown_away(code: list[ast.AST], seen: Observation) -> bool:
    """a sum is computed and not kept. A line x + 1 changes nothing: write x = x + 1, or counts[key] = ... + 1."""
    return any(match("X + Y or X - Y", node.value) is not None for node in _statements(code))


def _result_lost(code: list[ast.AST], seen: Observation) -> bool:
    """the result of a call is not kept. Text, bytes and numbers never change: write text = text.lower()."""
    lost = lost_result(code)
    return lost is not None and not changes_nothing(lost, MERGING)


KEEPING = {"casefold", "copy", "decode", "encode", "join", "lower", "replace", "split", "strip", "upper"}
KEEPING |= {"reversed", "sorted", "zip"}
MERGING = {"_merge", "join_symbols"}
"""Functions and methods that change nothing. The bank names what happens if a merge is not kept."""


def lost_result(code: list[ast.AST]) -> ast.Call | None:
    """Find a statement that is only the call of a function that changes nothing."""
    return next((node.value for node in _statements(code) if changes_nothing(node.value)), None)


def changes_nothing(node: ast.AST, names: Set[str] = KEEPING | MERGING) -> TypeGuard[ast.Call]:
    """Tell whether a node calls one of these functions, which only return something."""
    return isinstance(node, ast.Call) and getattr(node.func, "attr", getattr(node.func, "id", "")) in names


def _zeros(code: list[ast.AST], seen: Observation) -> bool:
    """bytes(number) is made of zeros. bytes([number]) is the one byte with this value."""
    makes_bytes, zeros = any(match("bytes(X)", node) for node in code), r"\x00\x00"
    return makes_bytes and zeros in repr_of(seen.result) and zeros not in repr_of(seen.expected)


def _count_as_pair(code: list[ast.AST], seen: Observation) -> bool:
    """the highest count is used as the pair. max(counts, key=counts.get) returns the pair that has it."""
    counted = [found for node in code if (found := match("X = max(Y.values())", node))]
    return any(match("X[0] or X[1] or Y[X]", node, found) for found in counted for node in code)


def _one_id_too_many(code: list[ast.AST], seen: Observation) -> bool:
    """the check accepts an ID that does not exist. The highest ID is vocab_size - 1: check whether it is in vocab."""
    above = "X > self.vocab_size or X > len(self.vocab) or self.vocab_size < X or len(self.vocab) < X"
    asks = any(match("X in self.vocab or X not in self.vocab", node) for node in code)
    return not asks and any(match(above, node) for node in code)


def _argument_returned(code: list[ast.AST], seen: Observation) -> bool:
    """the argument is returned in place of the result. Return the variable that the function fills."""
    value, returned = seen.call.effect.value, [node.value for node in code if isinstance(node, ast.Return)]
    name = ast.unparse(returned[0]) if len(returned) == 1 and isinstance(returned[0], ast.Name) else None
    is_argument = isinstance(value, list) and any(value is one for one in seen.call.passed)
    filled = filter(None, (match("X.append(...) or X[Y] = Z", node) for node in code))
    fills = any(ast.unparse(found["X"]) != name for found in filled)
    return is_argument and name is not None and name not in stored_names(code) and fills and value == seen.call.args[0]


def _position_looked_up(code: list[ast.AST], seen: Observation) -> bool:
    """a position is used in place of the item there. In `for i in range(len(items))`, i is a position: use items[i]."""
    positions = "range(len(X)) or range(A, len(X)) or range(len(X) - A) or range(A, len(X) - B)"
    uses = "I in P or I not in P or I + A in P or I + A not in P or (I, I + A) == P"
    given = {node.arg for node in code if isinstance(node, ast.arg)}
    loops = [node for node in code if isinstance(node, ast.For) and match(positions, node.iter) is not None]
    used = [found["P"] for loop in loops for part in ast.walk(loop) if (found := match(uses, part, {"I": loop.target}))]
    return any(ast.unparse(part).removeprefix("self.") in given | {*seen.call.state} for part in used)


def _swapped_arguments(code: list[ast.AST], seen: Observation) -> bool:
    """arguments are passed in another order than the function takes them. Compare the call with its `def` line."""
    function: Any = seen.call.function
    for node in code:
        if not isinstance(node, ast.Call):
            continue
        of_self = isinstance(node.func, ast.Attribute) and ast.unparse(node.func.value) == "self"
        name = getattr(node.func, "attr", getattr(node.func, "id", ""))
        called = getattr(seen.call.owner, name, None) if of_self else function.__globals__.get(name)
        takes = [*inspect.signature(called).parameters] if isinstance(called, (FunctionType, MethodType)) else []
        passed = [ast.unparse(part) for part in node.args]
        # join_symbols(pair, pair) is right: the place for a pair has it as well.
        places = [(place, takes.index(one)) for place, one in enumerate(passed) if one in takes]
        if any(place != right < len(passed) and passed[right] != passed[place] for place, right in places):
            return True
    return False


def _overwritten(code: list[ast.AST], seen: Observation) -> bool:
    """each iteration of a loop replaces the result of the one before. Create it before the loop, and add to it."""
    names = [node for node in code if isinstance(node, ast.Name)]
    for loop in (node for node in code if isinstance(node, ast.For)):
        end = loop.end_lineno or 0
        for made in filter(None, [match("X = {A: B} or X = [A]", statement) for statement in loop.body]):
            lines = [name.lineno for name in names if name.id == ast.unparse(made["X"])]
            if len([line for line in lines if loop.lineno <= line <= end]) == 1 and max(lines) > end:
                return True
    return False


def _identity_of_numbers(code: list[ast.AST], seen: Observation) -> bool:
    """numbers are compared with `is`. It asks whether both are one object, which equal numbers need not be: use ==."""
    values = _arguments(code, seen) | seen.call.state
    compared = [found.values() for node in code if (found := match("X is Y or X is not Y", node))]
    # `value is None` is right.
    sides = [side for both in compared for side in both if not any(isinstance(one, ast.Constant) for one in both)]
    return any(type(values.get(ast.unparse(side).removeprefix("self."))) is int for side in sides)


def _arguments(code: list[ast.AST], seen: Observation) -> dict[str, Any]:
    """Return what was passed to a function, by the names of its parameters."""
    names = [node.arg for node in code if isinstance(node, ast.arg) and node.arg != "self"]
    return {**dict(zip(names, seen.call.args)), **seen.call.kwargs}


def _list_compared(code: list[ast.AST], seen: Observation) -> bool:
    """a list is compared with a number. They are never equal: compare each item, or make an array of the list first."""
    stored = stored_names(code)
    kinds = {name: type(value) for name, value in _arguments(code, seen).items() if name not in stored}
    compared = [found.values() for node in code if (found := match("X == Y or X != Y", node))]
    return any({kinds.get(ast.unparse(side)) for side in both} == {list, int} for both in compared)


def _one_for_two(code: list[ast.AST], seen: Observation) -> bool:
    """two names stand for one object. a = b = [] makes one list, not two: write a line for each name."""
    changes = "X[I][J] = V or X[I] = V or X.append(V) or X.extend(V)"
    changed = {ast.unparse(found["X"]) for node in code if (found := match(changes, node))}
    several = [{*map(ast.unparse, node.targets)} for node in code if isinstance(node, ast.Assign)]
    return any(len(names & changed) > 1 for names in several)


def _lost_item(code: list[ast.AST], seen: Observation) -> bool:
    """a loop's variable gets a new value, which is lost. The list stays as it was: append the value to a new one."""
    loops = [node for node in code if isinstance(node, ast.For)]
    last = [loop for loop in loops if match("V = Z", loop.body[-1], {"V": loop.target}) is not None]
    names = [node for node in code if isinstance(node, ast.Name)]
    return any(
        max(name.lineno for name in names if match("V", name, {"V": loop.target})) <= (loop.end_lineno or 0)
        for loop in last
    )


def _read_again(code: list[ast.AST], seen: Observation) -> bool:
    """an iterator is searched again and again. zip, map and filter give each item once: make a list of it first."""
    made = [found["X"] for node in code if (found := match("X = zip(...) or X = map(...) or X = filter(...)", node))]
    loops = [node for node in code if isinstance(node, (ast.For, ast.While, *COMPREHENSIONS))]
    places = [(one, [*ast.walk(loop)]) for one in made for loop in loops]
    searched = [(one, part) for one, parts in places if one not in parts for part in parts]
    return any(match("A in X or A not in X", part, {"X": one}) is not None for one, part in searched)


def _captured(code: list[ast.AST], seen: Observation) -> bool:
    """a variable after `case` is set and not compared. It fits any value: compare with == after `if`."""
    assigned = [part for node in code if isinstance(node, ast.Assign) for part in ast.walk(node)]
    names = stored_names(assigned) | {node.arg for node in code if isinstance(node, ast.arg)}
    return any(isinstance(node, ast.MatchAs) and node.pattern is None and node.name in names for node in code)


def _items_as_positions(code: list[ast.AST], seen: Observation) -> bool:
    """items are used as positions. A loop over a list gives its items: for positions, write range(len(items))."""
    loops: list[Letters] = [{"X": node.iter, "Y": node.target} for node in code if isinstance(node, ast.For)]
    spot = spot_of(seen)
    return spot is not None and any(match("X[Y] or X[Y + Z] or X[Y - Z]", spot.node, loop) for loop in loops)


def _shorter_list(code: list[ast.AST], seen: Observation) -> bool:
    """the list gets shorter while a loop runs over its original length. range is computed once: build a new list."""
    spot = spot_of(seen)
    lost = match("X[I]", spot.node) if spot else None
    known = {"X": lost["X"]} if lost else {}
    ranges = "range(len(X)) or range(len(X) - A) or range(B, len(X)) or range(B, len(X) - A)"
    loops = [node for node in code if known and isinstance(node, ast.For) and match(ranges, node.iter, known)]
    shortens = "del X[A] or del X[A:B] or X[A:B] = C or X.pop(A) or X.remove(A)"
    return any(match(shortens, part, known) for loop in loops for part in ast.walk(loop))


def _too_few_items(code: list[ast.AST], seen: Observation) -> bool:
    """a list that the function makes has too few items. n characters have n + 1 positions, 0 to n: each needs one."""
    spot = spot_of(seen)
    found = match("X[Y]", spot.node) if spot else None
    makes = "X = [A] * B or X = [A] * B + C or X = [A for I in range(B)]"
    return found is not None and any(match(makes, node, {"X": found["X"]}) for node in code)


def returns_in_the_loop(seen: Observation) -> Iterator[Mistake]:
    """Recognize a return that is indented too far."""
    if seen.error is None and (node := return_in_first_iteration(seen.call.function)):
        why = f"The return in line {node.lineno} ends it in the first iteration: it belongs after the loop."
        yield Mistake(IN_THE_LOOP, why)


def is_nothing(value: Any) -> bool:
    """Tell whether a result is None or empty, so that it says nothing about how it came about."""
    return value is None or (isinstance(value, (dict, list, str)) and not value)


def swallowed_error(seen: Observation) -> Iterator[Mistake]:
    """Recognize an except for errors of all kinds, after which nothing is left to return."""
    if seen.error is None and not isinstance(seen.expected, type) and is_nothing(seen.call.effect.value):
        for node in _code_of_exercise(seen):
            text = ast.unparse(node).strip() if isinstance(node, ast.ExceptHandler) else ""
            if text.startswith(("except:", "except Exception")) and "raise" not in text:
                why = "It catches errors of all kinds: name the one that you expect, or remove the try and the except."
                yield Mistake("an except may hide an error in your code", why)


def _code_of_exercise(seen: Observation) -> list[ast.AST]:
    """List the nodes of the called function's code, if that is an exercise: given code has no slips."""
    module = seen.call.module
    is_given = module is not None and seen.call.verb not in [one.name for one in module.exercises]
    return [] if is_given else nodes_of(seen.call.function)


def order_of_a_set(seen: Observation) -> Iterator[Mistake]:
    """Recognize code that goes through a set it has made, and sorts nothing."""
    code = _code_of_exercise(seen)
    sets: set[str] = set()

    def is_set(node: ast.AST) -> bool:
        if isinstance(node, ast.BinOp):
            return is_set(node.left) or is_set(node.right)
        is_made = isinstance(node, (ast.Set, ast.SetComp)) or match("set(...) or frozenset(...)", node) is not None
        return is_made or ast.unparse(node) in sets

    sets |= {ast.unparse(made["X"]) for node in code if (made := match("X = Y", node)) and is_set(made["Y"])}
    read: list[ast.AST] = [node.iter for node in code if isinstance(node, (ast.For, ast.comprehension))]
    read += [node.value for node in code if isinstance(node, ast.Starred)]
    takes = "list(X) or tuple(X) or enumerate(X) or iter(X) or X.pop()"
    read += [made["X"] for node in code if (made := match(takes, node))]
    sorts = any(match("sorted(...) or X.sort(...) or min(...) or max(...)", node) is not None for node in code)
    if seen.error is None and any(map(is_set, read)) and not sorts:
        why = "It differs from run to run: sort the items, or go through what the set was made of."
        yield Mistake("the items are taken in the order of a set", why)


CODE = (
    _lost_change,
    _nothing_kept,
    _compared_only,
    _thrown_away,
    _result_lost,
    _zeros,
    _count_as_pair,
    _one_id_too_many,
    _argument_returned,
    _position_looked_up,
    _swapped_arguments,
    _overwritten,
    _identity_of_numbers,
    _list_compared,
    _lost_item,
    _one_for_two,
    _read_again,
    _captured,
)
POSITIONS = (_items_as_positions, _shorter_list, _too_few_items)
"""CODE and POSITIONS are slips that show in the code of a function, POSITIONS only with an IndexError. The docstring is
the name of the slip, and what to do."""


def code_slips(seen: Observation) -> Iterator[Mistake]:
    """Yield slips in the code of the called function."""
    code = _code_of_exercise(seen)
    for is_made in (*CODE, *(POSITIONS if isinstance(seen.error, IndexError) else ())):
        if code and is_made(code, seen):
            name, _, why = (is_made.__doc__ or "").partition(". ")
            yield Mistake(name, why, _section(seen.error))
