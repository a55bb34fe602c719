"""Which patterns tiktoken can take over, and how it writes them.

tiktoken finds pieces with the regex engine fancy-regex, the library `tokenizers` with Oniguruma. Some regexes mean
something else to the other engine:

    regex            Oniguruma                         fancy-regex
    $                the end of any line               the end of the text
    [[:alpha:]]      every letter of Unicode           A to Z and a to z
    \\p{N}{1,3}+      (?:\\p{N}{1,3})+                   one to three digits, possessive

and a text that no match covers is a piece in `tokenizers`, but left out by tiktoken.

`to_tiktoken_pattern` writes what has the same meaning in both, and refuses everything else. What it accepts was
compared: each character class on all code points, and random patterns on random texts.
"""

import re
from dataclasses import dataclass

from g2c.formats.validity import UnsupportedTokenizer
from g2c.tokenizer.patterns import PATTERNS, TIKTOKEN_PATTERNS

WHOLE_TEXT = r"[\s\S]+"
"""The pattern that matches a whole text. tiktoken requires a pattern."""

_CATEGORY = "C[cfno]?|L[lmotu]?|M[cen]?|N[dlo]?|P[cdefios]?|S[ckmo]?|Z[lps]?"
_SCRIPT = "Arabic|Cyrillic|Greek|Han|Hangul|Hiragana|Katakana|Latin|Thai"
_CLASS = rf"\\[sSdD]|\\[pP]\{{(?:{_CATEGORY}|{_SCRIPT})\}}"
_ESCAPE = r"\\(?:[nrtfv]|x[0-7][0-9A-Fa-f]|[!-/:;=?@\[-`{-~])"
_MEMBER = rf"(?:{_ESCAPE}|(?!&&|~~)[^\[\]\\-])"
_SET = rf"\[\^?-?(?:{_CLASS}|{_MEMBER}(?:-{_MEMBER})?)+-?\]"
# Only Oniguruma lets "ss" match ß without regard to case, and "ff", "fi", "fl", "st" the ligatures.
_CASELESS_PART = r"(?:[\w' ]|\[[\w' ]{2,}\])+"
_CASELESS = rf"\(\?i:(?![^)]*(?i:ss|ff|fi|fl|st)){_CASELESS_PART}(?:\|{_CASELESS_PART})*\)"
_ELEMENT = re.compile(
    r"(?P<group>\((?!\?)|\(\?[:>])|(?P<lookahead>\(\?[=!])|(?P<close>\))|(?P<alternative>\|)|(?P<place>[$^]|\\[Az])"
    rf"|(?P<characters>\\[wW]|{_CLASS}|{_SET}|{_ESCAPE}|{_CASELESS}|[^\\\[\](){{}}|*+?^$])",
    re.ASCII,
)
# `{n}?`, `{n,m}+`, `**` and so on are left over: what follows is no element.
_QUANTIFIER = re.compile(r"(?:[*+?][?+]?|\{(\d{1,4}),(\d{0,4})\}\??|\{\d{1,4}\})?", re.ASCII)
_POSSESSIVE = re.compile(r"(?<!\\)([+*?]|\{\d*,?\d*\})\+")
_ZERO_TIMES = re.compile(r"[*?]|\{0+[,}]", re.ASCII)
# Oniguruma's line starts and ends, of which none is at the end of the text; and its word characters, which include six
# digits and fractions, but not the two joiners.
_TRANSLATIONS = {
    "$": "(?m:$)",
    "^": r"(?:(?m:^)(?!\z))",
    r"\w": "(?:(?![\u200c\u200d])[\\w²³¹¼½¾])",
    r"\W": "(?:[^\\w²³¹¼½¾]|[\u200c\u200d])",
}


def to_tiktoken_pattern(pattern: str | None) -> str:
    """The regex with which tiktoken splits every text as `split_by_pattern` does with `pattern`.

    Args:
        pattern: as `BPETokenizer.pattern` has it: a regex, or None for a single piece.

    Raises:
        UnsupportedTokenizer: the regex may have another meaning for tiktoken.

    >>> to_tiktoken_pattern("[a-z]+")
    '[a-z]+|(?:(?![a-z]+)[\\\\s\\\\S])+'
    """
    if pattern is None:
        return WHOLE_TEXT
    if pattern == WHOLE_TEXT or pattern in PATTERNS.values():
        return pattern  # They match every character.
    return _with_the_rest(_translated(pattern))


def from_tiktoken_pattern(pattern: str) -> str | None:
    """The inverse of `to_tiktoken_pattern`, for these and other patterns of tiktoken.

    Text that no match covers, and that tiktoken leaves out, is a piece of its own in the course.

    Raises:
        UnsupportedTokenizer: the regex may have another meaning for the regex engine of `tokenizers`.
    """
    if pattern == WHOLE_TEXT:
        return None
    if pattern in PATTERNS.values() or pattern in TIKTOKEN_PATTERNS:
        return TIKTOKEN_PATTERNS.get(pattern, pattern)
    # What `_with_the_rest` adds contains the pattern a second time.
    own = pattern[: (len(pattern) - len(_with_the_rest(""))) // 2]
    if own and pattern == _with_the_rest(own):
        for here, there in _TRANSLATIONS.items():
            own = own.replace(there, here)
        if _with_the_rest(_translated(own)) == pattern:
            return own
    if _POSSESSIVE.search(pattern):
        raise UnsupportedTokenizer(
            f"The pattern {pattern!r} has possessive quantifiers, such as ++, which other regex engines interpret "
            "differently."
        )
    if _translated(pattern) != pattern:
        raise UnsupportedTokenizer(f"The pattern {pattern!r} has $, ^, \\w or \\W, which have another meaning here.")
    return pattern


def _with_the_rest(pattern: str) -> str:
    """The pattern with an alternative for the text between two matches."""
    return rf"{pattern}|(?:(?!{pattern})[\s\S])+"


@dataclass
class _Group:
    """What has been read of a group.

    Attributes:
        lookahead: whether it is a lookahead.
        begun: whether its current alternative has an element.
        skippable: whether the current alternative can match the empty string.
        any_skippable: whether an earlier one can.
    """

    lookahead: bool
    begun: bool = False
    skippable: bool = True
    any_skippable: bool = False


def _translated(pattern: str) -> str:
    """The regex in tiktoken's syntax. Raises an UnsupportedTokenizer if it may have another meaning there."""
    written = []
    groups = [_Group(lookahead=False)]
    place = 0
    while place < len(pattern):
        element = _ELEMENT.match(pattern, place)
        if element is None:
            raise _unsupported(pattern, place)
        kind = element.lastgroup
        written.append(_TRANSLATIONS.get(element[0], element[0]))
        place = element.end()
        if kind in ("group", "lookahead"):
            groups.append(_Group(lookahead=kind == "lookahead"))
            continue
        if kind in ("alternative", "close") and not groups[-1].begun:
            raise _unsupported(pattern, element.start())
        if kind == "alternative":
            group = groups[-1]
            groups[-1] = _Group(group.lookahead, any_skippable=group.any_skippable or group.skippable)
            continue
        skippable = kind == "place"
        if kind == "close":
            group = groups.pop()
            if not groups:
                raise _unsupported(pattern, element.start())
            skippable = group.lookahead or group.skippable or group.any_skippable
        quantifier = _QUANTIFIER.match(pattern, place)
        assert quantifier is not None
        least, most = quantifier.groups()
        if quantifier[0] and skippable or most and int(least) > int(most):
            # Engines end a loop over nothing differently; and one of them reads {3,1} as {1,3}.
            raise _unsupported(pattern, place)
        written.append(quantifier[0])
        place = quantifier.end()
        groups[-1].begun = True
        groups[-1].skippable &= skippable or bool(_ZERO_TIMES.match(quantifier[0]))
    if len(groups) > 1 or not groups[0].begun or groups[0].skippable or groups[0].any_skippable:
        raise _unsupported(pattern, len(pattern))
    return "".join(written)


def _unsupported(pattern: str, place: int) -> UnsupportedTokenizer:
    where = f"from {pattern[place : place + 20]!r} on" if place < len(pattern) else "as a whole"
    return UnsupportedTokenizer(
        f"The pattern {pattern!r} may have another meaning in tiktoken's regex engine than in that of tokenizers, "
        f"{where}, and then give other IDs."
    )
