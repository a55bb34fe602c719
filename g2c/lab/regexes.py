"""Translates regexes of the library that splits texts to JavaScript, for pages.

The library reads a regex as Oniguruma does, in Ruby's syntax. Where JavaScript differs, the regex is translated:
`\\s` becomes Unicode's White_Space, `(?i:…)` is spelled out, and `.` becomes anything but a line end. A browser may use
another version of Unicode.
"""

import re
import string

_SAME = {"s": "\\p{White_Space}", "S": "\\P{White_Space}", "d": "\\p{Nd}", "D": "\\P{Nd}", "h": "[0-9a-fA-F]"}
_FOLDED = {letter: letter + letter.upper() for letter in string.ascii_lowercase} | {"s": "sS\u017f", "k": "kK\u212a"}
"""ASCII letter -> the letters that equal it if case is ignored."""

_REGEX_PART = re.compile(r"\\(?:[pP]\{[^}]*\}|(.))|\(\?i:|[()\[\].]|[^\\()\[\].]+", re.DOTALL)


def translated(pattern: str) -> str:
    """Translate a regex of the library to JavaScript, for the flags gmu.

    >>> print(translated(r"(?i:'t)|\\s+"))
    (?:'[tT])|\\p{White_Space}+
    """
    made = []
    folds = [False]
    in_class = 0
    for part in _REGEX_PART.finditer(pattern):
        text, escaped = part[0], part[1]
        if escaped:
            is_syntax = escaped.isalnum() or escaped in "^$\\.*+?()[]{}|/" or (in_class and escaped == "-")
            text = _SAME.get(escaped, text if is_syntax else escaped)
        elif text in "[]":
            in_class += 1 if text == "[" else -1
        elif not in_class and text.startswith("("):
            folds.append(folds[-1] or text == "(?i:")
            text = text.replace("?i:", "?:")
        elif not in_class and text == ")":
            folds.pop()
        elif not in_class and text == ".":
            text = "[^\\n]"
        elif not in_class and folds[-1] and not text.startswith("\\"):
            text = re.sub("[a-zA-Z]", lambda letter: f"[{_FOLDED[letter[0].lower()]}]", text)
        made.append(text)
    return "".join(made)
