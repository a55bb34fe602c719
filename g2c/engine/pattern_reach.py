r"""How far a pattern can look ahead, and where a text whose continuation is unknown can therefore be cut.

Text that comes in chunks must be cut where no continuation changes the pieces before the cut. For the gpt2 and gpt4
patterns splitting.py knows such places. For others, this module finds some from the regex:

Take each alternative of the pattern, such as \s*[\r\n]+, and collect the characters that it can consume: white space,
and line breaks. Wherever a match of it begins, the engine reads only characters of this set, and the one after them. So
a match that begins before the last character of the text outside the set is decided by the text read so far:

    text so far     "two words,\n   th"
    \s*[\r\n]+      ^^^^^^^^^^^^^^^^^^^      decided up to "h", which is not white space
    \w+             ^^^^^^^^^^^^^^^^         decided up to the last space

The pieces that begin before all of these places are final. This needs a pattern whose matches depend only on what
follows: look-behind, anchors (^ $ \b \A \z \G), back-references and inline flags are not supported.
"""

import re
from functools import lru_cache

from tokenizers import Regex, pre_tokenizers

from g2c.tokenizer.patterns import split_by_pattern

_TAIL = 256
"""Characters at the end of the text that are searched first for one that an alternative cannot consume."""

_CANDIDATES = 8
"""Number of pieces whose ends are tried as a cut."""

_ESCAPE = r"\\(?:[sSdDwWhHnrtfv]|[pP]\{\^?\w+\}|x[0-7][0-9A-Fa-f]|x\{[0-9A-Fa-f]+\}|u[0-9A-Fa-f]{4}|[^\w\s])"
_SYNTAX = re.compile(
    rf"""
    (?P<quantifier> [*+?] | \{{\d*,?\d*\}} )
  | (?P<alternative> \| )
  | (?P<open> \( (?: \?: | \?i: | \?> | \?= | \?! | (?!\?) ) )
  | (?P<close> \) )
  | (?P<escape> {_ESCAPE} )
  | (?P<dot> \. )
  | (?P<class> \[ )
  | (?P<literal> [^\\\[\](){{}}*+?|^$.] )
    """,
    re.VERBOSE,
)
_IN_CLASS = re.compile(rf"{_ESCAPE}|\[:\^?\w+:\]|[^\\\[\]]")
_CLASS_OF_ASCII_LETTERS = re.compile(r"\[([A-Za-z]+)\]")
_LOOK_AHEAD_AT_ONE = re.compile(rf"\(\?[=!](?:{_ESCAPE}|[^\\\[\](){{}}*+?|^$.])\)(?![*+?{{])")


class PatternReach:
    """Finds cuts in texts under one pattern.

    Attributes:
        is_known: whether the pattern consists of parts that this module understands; otherwise there are no cuts.
    """

    def __init__(self, pattern: str) -> None:
        """Args: pattern: a regex, as `resolve_pattern` returns it."""
        self._pattern = pattern
        consumed = consumed_characters(pattern)
        self.is_known = consumed is not None
        self._alternatives = [] if consumed is None else [_runs(characters) for characters in consumed]

    def last_cut(self, text: str) -> int:
        r"""The last offset at which a text can be cut, whatever follows it; 0 if there is none.

        Cut there, both parts are split into the same pieces as the whole text.

        >>> PatternReach(r"\w+|\s+|[^\w\s]+").last_cut("two words, th")
        10
        """
        if not self.is_known:
            return 0
        decided = min(_last_run(text, runs) for runs in self._alternatives)
        try:
            pieces = split_by_pattern(text, self._pattern)
            ends, end = [], 0
            for piece in pieces:
                end += len(piece)
                ends.append(end)
            # The text between two matches is a piece as well, which ends where a match begins: that must be decided.
            final = sum(end < decided for end in ends)
            for number in range(final, max(0, final - _CANDIDATES), -1):
                # White space before a word, for instance, can be split in another way when the word is cut off.
                cut = ends[number - 1]
                if split_by_pattern(text[:cut], self._pattern) == pieces[:number]:
                    return cut
        except ValueError:
            # The engine failed on a long text without a cut; encoding it will say so.
            return 0
        return 0


def _last_run(text: str, runs: pre_tokenizers.Split) -> int:
    """The offset from which on an alternative can consume all of the text."""
    tail = _TAIL
    while True:
        window = text[-tail:]
        others = runs.pre_tokenize_str(window)
        if others or tail >= len(text):
            return len(text) - len(window) + (others[-1][1][1] if others else 0)
        tail *= 4


@lru_cache(maxsize=256)
def _runs(characters: str) -> pre_tokenizers.Split:
    """Removes the runs of characters of a class from a text."""
    return pre_tokenizers.Split(Regex(f"{characters}+"), "removed")


def consumed_characters(pattern: str) -> list[str] | None:
    r"""For each alternative of a pattern, the characters that it can consume, as a character class of a regex.

    Returns:
        the classes; None if the pattern has a part that is not supported.

    >>> consumed_characters(r"\s*[\r\n]+|(?i:st)|\w+?(?!x)")
    ['[\\s[\\r\\n]]', '[sStT[^\\x00-\\x7F]]', '[\\w]']
    >>> consumed_characters(r"\b\w+") is None
    True
    """
    alternatives: list[list[str]] = [[]]
    ignores_case = [False]
    position = 0
    while position < len(pattern):
        ahead = _LOOK_AHEAD_AT_ONE.match(pattern, position)
        if ahead and not ignores_case[-1]:
            # It reads no further than the alternative itself, which has to read one character too many.
            position = ahead.end()
            continue
        found = _SYNTAX.match(pattern, position)
        if found is None:
            return None
        kind, part, position = found.lastgroup, found[0], found.end()
        if kind == "open":
            ignores_case.append(ignores_case[-1] or part == "(?i:")
        elif kind == "close":
            ignores_case.pop()
            if not ignores_case:
                return None
        elif kind == "alternative" and len(ignores_case) == 1:
            alternatives.append([])
        elif kind in ("escape", "dot", "class", "literal"):
            if kind == "class":
                end = _end_of_class(pattern, position)
                if end is None:
                    return None
                part, position = pattern[position - 1 : end], end
            if ignores_case[-1]:
                cases = _cases(part, kind)
                if cases is None:
                    return None
                # A sequence of ASCII characters can also match one other character, as "ss" matches the sharp s.
                alternatives[-1] += [*cases, r"[^\x00-\x7F]"]
            else:
                alternatives[-1].append(_as_class(part, kind))
    if len(ignores_case) > 1 or not all(alternatives):
        return None
    # Without repetitions, and with classes at the end, where they can be read.
    return [f"[{''.join(sorted(dict.fromkeys(parts), key=lambda part: part[0] == '['))}]" for parts in alternatives]


def _as_class(part: str, kind: str) -> str:
    """A part of a pattern, as part of a character class."""
    if kind == "dot":
        return r"[^\n]"
    return f"\\x{{{ord(part):x}}}" if kind == "literal" and not part.isalnum() else part


def _cases(part: str, kind: str) -> list[str] | None:
    """The characters that a part can consume if case is ignored. None unless the part is ASCII."""
    letters = _CLASS_OF_ASCII_LETTERS.fullmatch(part)
    if letters:
        return [case for letter in letters[1] for case in (letter, letter.swapcase())]
    if kind != "literal" or not part.isascii():
        return None
    return [part, part.swapcase()] if part.isalpha() else [_as_class(part, kind)]


def _end_of_class(pattern: str, position: int) -> int | None:
    """The end of a character class whose first bracket was just read; None if it is not supported."""
    depth, position = 1, position
    is_first = True
    while depth:
        if is_first and pattern[position : position + 1] == "^":
            position += 1
        character = pattern[position : position + 1]
        if character == "]":
            if is_first:
                return None
            depth, position = depth - 1, position + 1
            is_first = False
        elif character == "[" and not pattern.startswith("[:", position):
            depth, position = depth + 1, position + 1
            is_first = True
        else:
            found = _IN_CLASS.match(pattern, position)
            if found is None:
                return None
            position, is_first = found.end(), False
    return position
