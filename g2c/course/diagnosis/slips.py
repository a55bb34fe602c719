"""Slips of Python: errors that Python itself raises, and code that cannot do what it looks like.

Two tables say what a slip is called and what to do about it. They name the cause only where the error, or the code,
leaves no doubt; no section of a handout belongs to a slip.
"""

import ast
import inspect
import io
import itertools
import linecache
import re
import sys
import textwrap
from collections.abc import Iterator
from contextlib import redirect_stderr

from g2c.course.testing.calls import NO_SECTION, Call, Mistake
from g2c.course.testing.student_code import place_of

ERRORS = r"""
KeyError  IN  \]\s*[-+|]=|(\w+\[.+\])\s*=\s*\1\s*[-+|]
    a count is added to a key that does not exist yet. counts[key] += 1 reads counts[key]: use counts.get(key, 0) + 1.
KeyError  IN  \]\.(add|append|update|extend)\(
    something is added under a key that does not exist yet. Use table.setdefault(key, set()).add(item), or a list.
TypeError: .*for \+: 'int' and '(bytes|str|list|tuple)'  IN  \bsum\(
    sum is used for something other than numbers. It begins with 0: join bytes with b"".join, and lists with +.
TypeError: .*unsupported operand type\(s\) for \+=?: '(frozen)?set'
    something is added to a set with +. To add to a set, use |: known | {item}.
TypeError: .*'int' object is not iterable
    a number is passed where a collection belongs. For one item, write [x], {x} or append(x); to count, range(x).
TypeError: .*(can only concatenate str \(not "bytes"\)|can.t concat str to bytes|expected str.* bytes found)
    text and bytes are joined. Join the bytes first, b"".join(parts), and decode them at the end.
TypeError: .*can only concatenate (list|tuple) \(not
    something that is not a \1 is added to a \1. + joins two of a kind: write + [item] or + (item,).
TypeError: .*expected (str instance|a bytes-like object), int found
    numbers are joined like text. Look up the bytes of each ID first, or work on the list of numbers itself.
TypeError: .*('(int|float)' object is not subscriptable|cannot unpack non-iterable (int|float))
    a number is used like a list or a pair. max, min and a loop over a dictionary give its keys, not its items.
TypeError: .*'(zip|map|filter|generator|dict_\w+|set|frozenset)'( object is not subscriptable| has no len)
    a \1 is used like a list. It has no positions: make a list of it first, list(...).
ZeroDivisionError
    something is divided by 0. Check how the divisor is computed: perhaps it was never counted.
IndexError: .*  IN  ^[^\[]*\w\[(0|-1)\][^\[]*$|\.pop(left)?\((0|-1)?\)
    the first or last item of an empty list is used. Check first whether the list is empty.
TypeError: .*(list|tuple) indices must be integers or slices
    a list is used like a dictionary. A list has positions 0, 1, 2: for other keys, make a dictionary, {}.
ValueError: .*(too many values to unpack|not enough values to unpack)
    one value is unpacked into several names. A loop over a dictionary gives its keys: write table.items() for both.
TypeError: .*cannot be interpreted as an integer  IN  \brange\(
    range gets something other than a number. For the positions of a list, write range(len(items)).
TypeError: .*(dict|list|tuple)' object is not callable
    parentheses are used instead of square brackets. table(key) is a call; write table[key].
ValueError: .*(is not in list|x not in|substring not found)
    an item that is not in the list is searched for. index and remove then raise an error: keep only the items that are.
ValueError: .*bytes must be in range\(0, 256\)
    IDs are treated as bytes. An ID can be above 255: look up the bytes of each ID in vocab.
TypeError: .*unhashable type: '(list|set|dict)'
    a list or set is used as a key or put into a set. It can change, so use a tuple; to add to a set, use |.
ValueError: .*inhomogeneous
    an array is made of rows of different lengths. Pad the rows first, then make the array.
ValueError: .*truth value of an array
    an array is used as a condition. An array is neither true nor false: check its length, or use `is None`.
.*(ufunc|could not be broadcast|numpy.ndarray. object has no)
    an array is used like a list. array + array adds numbers, and there is no append or pop: list(array) makes a list.
ValueError: .*(max|min)\(\)
    the maximum or minimum of nothing. Check first whether there is anything, or give max or min a default.
UnboundLocalError|NameError: cannot access free
    a variable is read before it is assigned. Assign it before the loop or in every branch.
TypeError: .*not supported between instances of .*'NoneType'
    None is compared with a number. get returns None for a missing key: leave out what it does not know.
(TypeError|AttributeError): .*'NoneType'
    None is used like a value. Does a function end without return? For get, give a default: get(key, 0).
\b(ModuleNotFound|Import)Error
    something cannot be imported. Its name is misspelled, it is not installed, or its file has an error.
NameError: name ('\w+') is not defined\. (Did you .*)
    there is no name \1. \2
NameError: name '(\w+)' is not defined
    there is no name '\1'. Assign or import it first; if it belongs to the object, write self.\1.
AttributeError: .*(function|method)\w*' object has no attribute ('\w+')
    there is no attribute or method \2. What is before the dot is a function that is not called: write its parentheses.
AttributeError: .* has no attribute ('\w+')\. (Did you .*)
    there is no attribute or method \1. \2
AttributeError: (.*) has no attribute ('\w+')
    there is no attribute or method \2. Look at what is before the dot: \1.
TypeError: .*((missing|takes) .* (argument|positional)|unexpected keyword)
    a function is called with the wrong arguments. Compare the call with the function's `def` line.
ValueError: .*(math domain error|expected a positive input)
    the logarithm or root of a number that has none. A logarithm needs a number above 0: is this one a probability?
IndexError: .*  IN  \[\w+ \+ 1\]
    the loop looks beyond the end of the list. No item follows the last one: stop earlier, or check i + 1 < len(items).
TypeError: .*does not support item assignment
    an item of a value that cannot change is assigned. Tuples, text and bytes cannot change: build a new one.
RuntimeError: .*(changed size during iteration|changed during iteration)
    a collection is changed while a loop runs over it. Loop over a copy: for item in list(items).
"""
"""A pattern for an error and its message and, after IN, one for the line that raised it; then the name of the slip, and
what to do."""


def error_slips(call: Call) -> Iterator[Mistake]:
    """What the error that a call ended with says of the line that raised it."""
    error = call.error
    if error is None or (isinstance(call.expected, type) and getattr(error, "obj", None) is not call.owner):
        # The test passes something wrong on purpose: that it lacks a method is not a slip.
        return
    place = place_of(error.__traceback__)
    line = linecache.getline(place.file, place.line) if place else ""
    yield from itertools.islice(_matching(ERRORS, _as_printed(error), line), 1)


def _as_printed(error: BaseException) -> str:
    """The type and message of an error as Python prints them: with "Did you mean" behind a misspelled name."""
    with redirect_stderr(io.StringIO()) as printed:
        sys.__excepthook__(type(error), error, error.__traceback__)
    # Where FORCE_COLOR is set, Python colors it.
    return re.sub(r"\x1b\[[\d;]*m", "", printed.getvalue().splitlines()[-1])


def _matching(table: str, text: str, line: str = "") -> Iterator[Mistake]:
    """The slips of a table whose pattern matches a text, and, after IN, the line that raised an error."""
    rows = table.strip("\n").splitlines()
    for row, sentences in zip(rows[::2], rows[1::2]):
        pattern, _, code = row.partition("  IN  ")
        match = re.search(pattern, text, re.MULTILINE)
        if match and re.search(code, line):
            name, _, why = match.expand(sentences.strip()).partition(". ")
            yield Mistake(name, why, NO_SECTION)


# --- in the code ------------------------------------------------------------------------------------------------------


CODE = r"""
^( *)for (\w+) in range\(.*\):\n(?:\1 .*\n)*?\1 {5,}\2 \+= 
    a for loop sets its variable again in each iteration. What the loop adds to it is lost: use a while loop.
^ *(\w+ =|return) (?!self\.\w+\(|np\.)[^=\n]*\.(append|extend|reverse|sort|insert|clear|add(?=\(\w+\)))\([^()]*\)$
    the result of a method that returns None is used. append, reverse, sort and add change the object itself.
^ *[\w.]+\[[^=\n]+\] == .*$
    == is written where = belongs. = stores a value; == only compares two.
\bbytes\((\w+)\) for \1 in (range\(|\w*ids\b|pair\b)
    bytes(number) is made of zeros. bytes([number]) is the one byte with this value.
pair = max\(\w+\.values\(\)
    the highest count is used as the pair. max(counts, key=counts.get) returns the pair that has it.
\A(?![\s\S]*\.(items|most_common)\()[\s\S]*for \w+, (new_id|count|frequency|freq) in (self\.merges|words|counts):
    a loop over a dictionary gives its keys. for key, value in table.items() gives both.
> (self\.vocab_size|len\(self\.vocab\))\b
    the check accepts an ID that does not exist. The highest ID is vocab_size - 1: check whether it is in vocab.
"""
"""What code matches as `ast.unparse` writes it; then the name of the slip, and what to do."""


def code_slips(call: Call) -> Iterator[Mistake]:
    """What the code of the called function cannot do, although it looks so."""
    if call.function is not None:
        code = ast.unparse(ast.parse(textwrap.dedent(inspect.getsource(call.function))))
        yield from _matching(CODE, code)
