"""Reads code as a syntax tree: finds the part that raised an error, and matches parts with patterns.

A pattern is Python in which a capital letter stands for any expression, always the same one: `X[Y] += Z`, and `...`
for any arguments or statements: `X.decode(...)`, `while X: ...`. Spaces, quotes, parentheses and the order of the two
sides of + do not matter.
"""

import ast
import inspect
import linecache
import re
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from functools import cache
from itertools import islice
from types import CodeType, FrameType
from typing import Any, NamedTuple

from coach.testing.observation import Observation
from coach.testing.student_code import is_student_file

Letters = dict[str, ast.AST]


_SIMPLE = (ast.Name, ast.Attribute, ast.Subscript, ast.Constant, ast.BinOp, ast.Add, ast.Sub, ast.expr_context)
"""The nodes of expressions that may be evaluated again."""
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


class Spot(NamedTuple):
    """Says where student code raised an error: the smallest expression, its statement, and the variables there."""

    node: ast.AST
    statement: ast.stmt
    frame: FrameType
    variables: dict[str, Any]

    def value(self, node: ast.AST) -> Any:
        """Return the value of an expression at that moment. ValueError: evaluating it would call something."""
        if not all(isinstance(part, _SIMPLE) for part in ast.walk(node)):
            raise ValueError(f"{ast.unparse(node)} is not run again.")
        return eval(ast.unparse(node), self.frame.f_globals, self.variables)


def spot_of(seen: Observation) -> Spot | None:
    """Find the place in student code, the innermost one, where a call's error was raised; None if it is unknown."""
    trace, innermost = None if seen.error is None else seen.error.__traceback__, None
    # A function of no module is an answer in a notebook, so its cell is student code.
    called = inspect.unwrap(seen.call.function) if seen.call.function and seen.call.module is None else None
    cell = getattr(getattr(called, "__code__", None), "co_filename", None)
    while trace:
        file = trace.tb_frame.f_code.co_filename
        innermost = trace if file == cell or is_student_file(file) else innermost
        trace = trace.tb_next
    if innermost is None:
        return None
    code = innermost.tb_frame.f_code
    line, end_line, column, end_column = next(islice(code.co_positions(), innermost.tb_lasti // 2, None))
    if line is None or end_line is None or column is None or end_column is None:
        return None
    around = [
        node
        for node in ast.walk(_tree(code.co_filename))
        if isinstance(node, (ast.expr, ast.stmt))
        and (node.lineno, node.col_offset) <= (line, column)
        and (node.end_lineno or 0, node.end_col_offset or 0) >= (end_line, end_column)
    ]
    # A node comes before those inside it.
    statements = [node for node in around if isinstance(node, ast.stmt)]
    if not around:
        return None
    spot = Spot(around[-1], statements[-1], innermost.tb_frame, dict(innermost.tb_frame.f_locals))
    if isinstance(spot.node, ast.For):
        # So Python 3.11 says that a loop has nothing to go through.
        return spot._replace(node=spot.node.iter)
    if isinstance(spot.node, COMPREHENSIONS):
        return spot._replace(node=spot.node.generators[0].iter)
    loops = [node for node in around if isinstance(node, COMPREHENSIONS) and not code.co_name.startswith("<")]
    return spot._replace(variables=_with_item(spot, loops[-1].generators[0])) if loops else spot


def _with_item(spot: Spot, loop: ast.comprehension) -> dict[str, Any]:
    """Return the variables with that of a comprehension, which Python 3.12 and later forget when it raises an error.

    Its value is the first item with which the expression raises an error again.
    """
    found = match("range(len(X))", loop.iter)
    if not isinstance(loop.target, ast.Name) or loop.ifs:
        return spot.variables
    with suppress(Exception):
        items = spot.value(found["X"] if found else loop.iter)
        for item in range(len(items)) if found else list(items) if isinstance(items, Collection) else ():
            variables = {**spot.variables, loop.target.id: item}
            try:
                spot._replace(variables=variables).value(spot.node)
            except LookupError:
                return variables
    return spot.variables


def definition_of(function: Callable[..., Any] | None) -> ast.FunctionDef | None:
    """Find the `def` of a function by its file and line."""
    code: CodeType | None = getattr(function, "__code__", None)
    body = _tree(code.co_filename).body if code else []
    inside = [member for node in body if isinstance(node, ast.ClassDef) for member in node.body]
    found = [node for node in (*body, *inside) if isinstance(node, ast.FunctionDef)]
    return {first_line(node): node for node in found}.get(code.co_firstlineno) if code else None


def first_line(function: ast.FunctionDef) -> int:
    """Return the line in which a function begins, as its code object has it: that of its first decorator, if any."""
    return min([function.lineno, *(one.lineno for one in function.decorator_list)])


def nodes_of(function: Callable[..., Any] | None) -> list[ast.AST]:
    """List the nodes of a function's code, the definition first; none if its code is unknown."""
    definition = definition_of(function)
    return list(ast.walk(definition)) if definition else []


def imported_names(function: Callable[..., Any] | None) -> set[str]:
    """Return the names that the file of a function imports."""
    code: CodeType | None = getattr(function, "__code__", None)
    nodes = ast.walk(_tree(code.co_filename)) if code else ()
    imports = [node.names for node in nodes if isinstance(node, (ast.Import, ast.ImportFrom))]
    return {part.asname or part.name for names in imports for part in names}


def stored_names(nodes: Iterable[ast.AST]) -> set[str]:
    """Return the names of the variables to which code gives a value."""
    return {node.id for node in nodes if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)}


IN_A_LOOP, NOWHERE = "in a loop: ", "nowhere: "
_REPEATING = (ast.For, ast.While, ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp, ast.Lambda)


def has_code(function: Callable[..., Any] | None, conditions: str) -> bool:
    """Tell whether the code of a function, with the functions of its file that it names, meets all conditions.

    A condition is a list of patterns, one of which must fit: "X.decode(...)", "in a loop: return X", or none may:
    "nowhere: temperature". They are separated by "; ". True if the code is unknown.
    """
    nodes = nodes_of(function)
    if not nodes:
        return True
    # A variable may have the name of a function.
    names = {node.id for node in nodes if isinstance(node, ast.Name)} - stored_names(nodes)
    names |= {node.attr for node in nodes if isinstance(node, ast.Attribute)}
    code: Any = getattr(function, "__code__", None)
    others = [node for node in ast.walk(_tree(code.co_filename)) if isinstance(node, ast.FunctionDef)]
    places = [nodes[0], *(node for node in others if node.name in names)]
    return all(_is_met(condition, places) for condition in conditions.split("; "))


def _is_met(condition: str, places: list[ast.AST]) -> bool:
    patterns = condition.removeprefix(IN_A_LOOP).removeprefix(NOWHERE)
    if condition.startswith(IN_A_LOOP):
        places = [loop for place in places for loop in ast.walk(place) if isinstance(loop, _REPEATING)]
    found = any(match(patterns, node) is not None for place in places for node in ast.walk(place) if node is not place)
    return found != condition.startswith(NOWHERE)


def return_in_first_iteration(function: Callable[..., Any] | None) -> ast.Return | None:
    """Find a return that ends a function in the first iteration of a loop, however that goes on."""
    for node in nodes_of(function):
        last = node.body[-1] if isinstance(node, (ast.For, ast.While)) else None
        if isinstance(last, ast.Return) and not any(isinstance(part, ast.Continue) for part in ast.walk(node)):
            return last
    return None


def _tree(file: str) -> ast.Module:
    return _parsed("".join(linecache.getlines(file)))


@cache
def _parsed(text: str) -> ast.Module:
    try:
        return ast.parse(text)
    except SyntaxError:
        # The file was edited after its import.
        return ast.Module([], [])


def match(patterns: str, node: ast.AST, letters: Letters | None = None) -> Letters | None:
    """Find what the letters stand for if a node matches one of the patterns, separated by " or "; None if it does not.

    >>> found = match("X[Y + 1]", ast.parse("(self.ids) [1+k]", mode="eval").body)
    >>> {letter: ast.unparse(node) for letter, node in found.items()}
    {'X': 'self.ids', 'Y': 'k'}
    """
    for pattern in patterns.split(" or "):
        found = dict(letters or {})
        if _fits(_pattern(pattern, isinstance(node, ast.stmt)), node, found):
            return found
    return None


@cache
def _pattern(text: str, is_statement: bool) -> ast.AST:
    statement = ast.parse(text).body[0]
    return statement.value if isinstance(statement, ast.Expr) and not is_statement else statement


def _fits(pattern: Any, node: Any, letters: Letters) -> bool:
    if isinstance(pattern, ast.Name) and re.fullmatch("[A-Z]", pattern.id):
        return isinstance(node, ast.expr) and ast.unparse(letters.setdefault(pattern.id, node)) == ast.unparse(node)
    if isinstance(pattern, list):
        if pattern and isinstance(pattern[0], ast.stmt) and ast.unparse(pattern[0]) == "...":
            return True
        return len(pattern) == len(node) and all(_fits(one, other, letters) for one, other in zip(pattern, node))
    if not isinstance(pattern, ast.AST):
        return bool(pattern == node)
    if type(pattern) is not type(node):
        return False
    if isinstance(pattern, ast.Call) and isinstance(node, ast.Call) and ast.unparse(pattern).endswith("(...)"):
        return _fits(pattern.func, node.func, letters)
    names = [name for name in pattern._fields if name not in ("ctx", "kind", "type_comment")]
    parts = [getattr(node, name) for name in names]
    turned = [parts[::-1]] if isinstance(pattern, ast.BinOp) and isinstance(pattern.op, ast.Add) else []
    for order in (parts, *turned):
        found = dict(letters)
        if all(_fits(getattr(pattern, name), part, found) for name, part in zip(names, order)):
            letters.update(found)
            return True
    return False
