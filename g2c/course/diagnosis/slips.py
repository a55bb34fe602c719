"""Recognizes slips in Python: errors that Python itself raises, and code that cannot do what it seems to.

A slip is named only if the error or the code leaves no doubt. Code is read as a syntax tree (syntax.py), so it does not
matter how it was typed. Slips have no section in a handout.
"""

import ast
import builtins
import difflib
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from types import ModuleType
from typing import Any

from g2c.course.diagnosis.syntax import Letters, Spot, definition_of, match, spot_of
from g2c.course.testing.observation import Observation
from g2c.course.testing.report import NO_SECTION, Mistake


@dataclass(frozen=True)
class Slip:
    """Names the slip behind an error. In `name` and `why`, \\1 is a group of `error`, and {X} the student's code."""

    error: str
    """A regex for the error's class and message. It fits the wordings of all versions of Python."""
    name: str
    why: str
    at: str = ""
    """Pattern, as in `syntax.match`, for the expression that raised the error."""
    within: str = ""
    """Pattern for its statement."""
    when: str = ""
    """A condition on the values of the letters. With it, {N} is "ID" or "item", whatever X contains."""


SLIPS = (
    Slip(
        "KeyError",
        "a count is added to a key that does not exist yet",
        "counts[key] += 1 reads counts[key]: use counts.get(key, 0) + 1.",
        at="X[Y]",
        within="X[Y] += Z or X[Y] = X[Y] + Z",
    ),
    Slip(
        "KeyError",
        "a count is subtracted that has been deleted, or was never added",
        "Delete a count only once it has fallen to 0.",
        at="X[Y]",
        within="X[Y] -= Z or X[Y] = X[Y] - Z",
    ),
    Slip(
        "KeyError",
        "a key that does not exist, or no longer exists, is deleted",
        "Check with `in` first, or use pop(key, None).",
        at="X[Y]",
        within="del X[Y]",
    ),
    Slip(
        "KeyError",
        "something is added under a key that does not exist yet",
        "Use table.setdefault(key, set()).add(item), or a list.",
        at="X[Y]",
        within="X[Y].add(Z) or X[Y].append(Z) or X[Y].update(Z) or X[Y].extend(Z) or X[Y] |= Z",
    ),
    Slip(
        r"KeyError: b'(\\x00)+'$", "bytes(number) is made of zeros", "bytes([number]) is the one byte with this value."
    ),
    Slip(
        r"TypeError: .*for \+: 'int' and '(bytes|str|list|tuple)'",
        "sum is used for something other than numbers",
        'It begins with 0: join bytes with b"".join, and lists with +.',
        at="sum(X)",
    ),
    Slip(
        r"TypeError: .*unsupported operand type\(s\) for \+=?: '(frozen)?set'",
        "something is added to a set with +",
        "To add to a set, use |: known | {item}.",
    ),
    Slip(
        "TypeError: .*'int' object is not iterable",
        "a number is passed where a collection belongs",
        "For one item, write [x], {x} or append(x); to count, range(x).",
    ),
    Slip(
        r'TypeError: .*(can only concatenate str \(not "bytes"\)|can.t concat str to bytes|expected str.* bytes found)',
        "text and bytes are joined",
        'Join the bytes first, b"".join(parts), and decode them at the end.',
    ),
    Slip(
        r"TypeError: .*can only concatenate (list|tuple) \(not",
        r"something that is not a \1 is added to a \1",
        "+ joins two of a kind: write + [item] or + (item,).",
    ),
    Slip(
        "TypeError: .*expected (str instance|a bytes-like object), int found",
        "numbers are joined like text",
        "Look up the bytes of each ID first, or work on the list of numbers itself.",
    ),
    Slip(
        "TypeError: .*('(int|float)' object is not subscriptable|cannot unpack non-iterable (int|float))",
        "a number is used like a list or a pair",
        "max, min and a loop over a dictionary give its keys, not its items.",
    ),
    Slip(
        r"TypeError: .*'(zip|map|filter|generator|dict_\w+|set|frozenset)'( object is not subscriptable| has no len)",
        r"a \1 is used like a list",
        "It has no positions: make a list of it first, list(...).",
    ),
    Slip(
        "ZeroDivisionError",
        "something is divided by 0",
        "Check how the divisor is computed: perhaps it was never counted.",
    ),
    Slip(
        "IndexError: .*",
        "{X[Y + Z]} reaches beyond the last {N}",
        "Ask `{Y + Z} < len({X})` first.",
        at="X[Y + Z]",
        when="Y + Z == len(X) > 0",
    ),
    Slip(
        "IndexError: .*",
        "the first or last item of an empty list is used",
        "Check first whether the list is empty.",
        at="X[0] or X[-1]",
    ),
    Slip(
        "IndexError: .*",
        "{X[Y]} reaches beyond the last {N}",
        "Ask `{Y} < len({X})` first.",
        at="X[Y]",
        when="Y >= len(X)",
    ),
    Slip(
        "IndexError: pop", "the first or last item of an empty list is used", "Check first whether the list is empty."
    ),
    Slip(
        "TypeError: .*(list|tuple) indices must be integers or slices",
        "a list is used like a dictionary",
        "A list has positions 0, 1, 2 and grows with append; a dictionary has other keys.",
    ),
    Slip(
        "ValueError: .*not enough values to unpack",
        "{X[Y:Z]} has fewer items at the end",
        "Check first whether that many are left.",
        within="A, B = X[Y:Z]",
    ),
    Slip(
        "ValueError: .*(too many values to unpack|not enough values to unpack)",
        "one value is unpacked into several names",
        "It has more or fewer parts: of a dictionary, table.items() gives pairs.",
    ),
    Slip(
        "TypeError: .*cannot be interpreted as an integer",
        "range gets something other than a number",
        "For the positions of a list, write range(len(items)).",
        at="range(X) or range(X, Y)",
    ),
    Slip(
        "TypeError: .*(dict|list|tuple)' object is not callable",
        "parentheses are used instead of square brackets",
        "table(key) is a call; write table[key].",
    ),
    Slip(
        "ValueError: .*(is not in list|x not in|substring not found)",
        "the list is searched for an item that it does not contain",
        "Then index and remove raise an error: ask `in` first.",
    ),
    Slip(
        r"ValueError: .*bytes must be in range\(0, 256\)",
        "IDs are treated as bytes",
        "An ID can be above 255: look up the bytes of each ID in vocab.",
    ),
    Slip(
        "TypeError: .*unhashable type: '(list|set|dict)'",
        "a list or set is used as a key, or put into a set",
        "It can change, so use a tuple; to join two sets, use |.",
    ),
    Slip(
        "ValueError: .*inhomogeneous",
        "an array is made of rows of different lengths",
        "Pad the rows first, then make the array.",
    ),
    Slip(
        "ValueError: .*truth value of an array",
        "an array is used as a condition",
        "An array is neither true nor false: check its length, or use `is None`.",
    ),
    Slip(
        ".*(ufunc|could not be broadcast|numpy.ndarray. object has no)",
        "an array is used like a list",
        "array + array adds numbers, and there is no append or pop: list(array) makes a list.",
    ),
    Slip(
        r"ValueError: .*(max|min)\(\)",
        "min or max of an empty sequence",
        "Check first whether it is empty, or give min or max a default.",
    ),
    Slip(
        "UnboundLocalError|NameError: cannot access free",
        "a variable is read before it is assigned",
        "Assign it before the loop or in every branch.",
    ),
    Slip(
        "TypeError: .*not supported between instances of .*'NoneType'",
        "None is compared with a number",
        "get returns None for a missing key: leave out what it does not know.",
    ),
    Slip(
        "TypeError: .*'NoneType' .*(iterable|subscriptable)",
        "{X} is None",
        "Check `{X} is not None` first; if it never should be, does the function that makes it end with return?",
        at="F(X) or X[Y] or X",
        when="X is None",
    ),
    Slip(
        "(TypeError|AttributeError): .*'NoneType'",
        "None is used like a value",
        "Does a function end without return? For get, give a default: get(key, 0).",
    ),
    Slip(
        r"\b(ModuleNotFound|Import)Error",
        "something cannot be imported",
        "Its name is misspelled, it is not installed, or its file has an error.",
    ),
    Slip(
        r"NameError: name '(\w+)' is not defined",
        r"there is no name '\1'",
        r"Assign or import it first; if it belongs to the object, write self.\1.",
    ),
    Slip(
        r"AttributeError: .*(function|method)\w*' object has no attribute ('\w+')",
        r"there is no attribute or method \2",
        "What is before the dot is a function that is not called: write its parentheses.",
    ),
    Slip(
        "AttributeError: '(frozenset|tuple|str)' .* no attribute '(add|append|extend|insert|pop|remove|update)'",
        r"a \1 has no \2",
        "It cannot change: make a new one, with | for a set and + for the others.",
    ),
    Slip(
        "AttributeError: 'bytes' object has no attribute '(append|extend|insert|pop|remove)'",
        r"bytes have no \1",
        'They cannot change: join them with +, or with b"".join(parts).',
    ),
    Slip(
        "AttributeError: '(list|tuple|set|dict)' object has no attribute 'join'",
        r"a \1 has no join",
        'join is a method of the text that goes between the items: " ".join(items).',
    ),
    Slip(
        "AttributeError: '(list|tuple|set|dict|str|bytes)' object has no attribute '(length|size)'",
        r"a \1 has no \2",
        "len(items) is the number of items.",
    ),
    Slip(
        r"AttributeError: '(dict|list|set)' object has no attribute '(\w+)'",
        r"a \1 has no \2",
        "A list has append and extend, a set has add and update, and a dictionary takes table[key] = value.",
    ),
    Slip(
        r"AttributeError: (.*) has no attribute ('\w+')",
        r"there is no attribute or method \2",
        r"Look at what is before the dot: \1.",
    ),
    Slip(
        "TypeError: .*((missing|takes) .* (argument|positional)|unexpected keyword)",
        "a function is called with the wrong arguments",
        "Compare the call with the function's `def` line.",
    ),
    Slip(
        "ValueError: .*(math domain error|expected a positive input)",
        "the logarithm or root of a number that has none",
        "A logarithm needs a number above 0: is this one a probability?",
    ),
    Slip(
        "TypeError: .*does not support item assignment",
        "an item of a value that cannot change is assigned",
        "Tuples, text and bytes cannot change: build a new one.",
    ),
    Slip(
        "RuntimeError: .*(changed size during iteration|changed during iteration)",
        "a collection is changed while a loop runs over it",
        "Loop over a copy: for item in list(items).",
    ),
)
"""The first one that fits is named."""


def kind_of(error: BaseException) -> str:
    """Say what is remarkable about an error, in words that are the same in every version of Python."""
    kind = type(error).__name__
    if isinstance(error, KeyError):
        return f"{kind} {error.args!r}"
    said = next((slip.name for slip in SLIPS if slip.error != kind and re.search(slip.error, f"{kind}: {error}")), "")
    return f"{kind} {getattr(error, 'name', None) or ''} {said}"


def error_slips(seen: Observation) -> Iterator[Mistake]:
    """Yield the slip that the error of a call reveals."""
    error = seen.error
    if error is None or (isinstance(seen.expected, type) and getattr(error, "obj", None) is not seen.call.owner):
        # The test passes a wrong value on purpose, and that it lacks a method is no slip.
        return
    spot = spot_of(error)
    if misspelled := _misspelled(error, spot):
        yield misspelled
        return
    for slip in SLIPS:
        found = re.search(slip.error, f"{type(error).__name__}: {error}")
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
        values = {letter: spot.value(node) for letter, node in letters.items()}
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
    for names in scopes if name else ():
        if near := difflib.get_close_matches(name, names, 1, max(min(0.8, 1 - 1.01 / len(name)), 0.4)):
            return Mistake(f"there is no {kind} {name!r}", f"Did you mean: {near[0]!r}?", NO_SECTION)
    return None


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
    modules = {name for name, value in function.__globals__.items() if isinstance(value, ModuleType)}
    modules |= {part.asname or part.name for node in code if isinstance(node, ast.Import) for part in node.names}
    used = [getattr(node, "value", None) for node in code if isinstance(node, (ast.Assign, ast.Return))]
    used += [part for node in code if isinstance(node, ast.Call) for part in node.args]
    methods = [node.func for node in used if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    changers = {"add", "append", "clear", "discard", "extend", "insert", "remove", "reverse", "sort", "update"}
    return any(one.attr in changers and ast.unparse(one.value) not in {"self", *modules} for one in methods)


def _compared_only(code: list[ast.AST], seen: Observation) -> bool:
    """== is written where = belongs. = stores a value; == only compares two."""
    return any(match("X == Y", node) for node in code if isinstance(node, ast.Expr))


def _zeros(code: list[ast.AST], seen: Observation) -> bool:
    """bytes(number) is made of zeros. bytes([number]) is the one byte with this value."""
    makes_bytes, zeros = any(match("bytes(X)", node) for node in code), r"\x00\x00"
    return makes_bytes and zeros in repr(seen.result) and zeros not in repr(seen.expected)


def _count_as_pair(code: list[ast.AST], seen: Observation) -> bool:
    """the highest count is used as the pair. max(counts, key=counts.get) returns the pair that has it."""
    counted = [found for node in code if (found := match("X = max(Y.values())", node))]
    return any(match("X[0] or X[1] or Y[X]", node, found) for found in counted for node in code)


def _one_id_too_many(code: list[ast.AST], seen: Observation) -> bool:
    """the check accepts an ID that does not exist. The highest ID is vocab_size - 1: check whether it is in vocab."""
    above = "X > self.vocab_size or X > len(self.vocab) or self.vocab_size < X or len(self.vocab) < X"
    asks = any(match("X in self.vocab or X not in self.vocab", node) for node in code)
    return not asks and any(match(above, node) for node in code)


def _items_as_positions(code: list[ast.AST], seen: Observation) -> bool:
    """items are used as positions. A loop over a list gives its items: for positions, write range(len(items))."""
    loops: list[Letters] = [{"X": node.iter, "Y": node.target} for node in code if isinstance(node, ast.For)]
    spot = spot_of(seen.error)
    return spot is not None and any(match("X[Y] or X[Y + Z] or X[Y - Z]", spot.node, loop) for loop in loops)


def _shorter_list(code: list[ast.AST], seen: Observation) -> bool:
    """the list gets shorter while a loop runs over its original length. range is computed once: build a new list."""
    spot = spot_of(seen.error)
    lost = match("X[I]", spot.node) if spot else None
    known = {"X": lost["X"]} if lost else {}
    ranges = "range(len(X)) or range(len(X) - A) or range(B, len(X)) or range(B, len(X) - A)"
    loops = [node for node in code if known and isinstance(node, ast.For) and match(ranges, node.iter, known)]
    shortens = "del X[A] or del X[A:B] or X[A:B] = C or X.pop(A) or X.remove(A)"
    return any(match(shortens, part, known) for loop in loops for part in ast.walk(loop))


CODE = (_lost_change, _nothing_kept, _compared_only, _zeros, _count_as_pair, _one_id_too_many)
POSITIONS = (_items_as_positions, _shorter_list)
"""Slips that show in the code of a function, the latter with an IndexError. The docstring is the name of the slip, and
what to do."""


def code_slips(seen: Observation) -> Iterator[Mistake]:
    """Yield slips in the code of the called function."""
    definition = definition_of(seen.call.function)
    code = list(ast.walk(definition)) if definition else []
    for is_made in (*CODE, *(POSITIONS if isinstance(seen.error, IndexError) else ())):
        if code and is_made(code, seen):
            name, _, why = (is_made.__doc__ or "").partition(". ")
            yield Mistake(name, why, _section(seen.error))
