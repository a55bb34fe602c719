"""Code worth a look: names in a submission that no exercise needs.

The text is searched and not parsed: for some short files Python's parser takes minutes or gigabytes.

>>> unusual_names(b"import gc  # open questions\\nexec (text)")
[(1, 'gc'), (2, 'exec')]
"""

import re

LIBRARY = "a library that does the exercise"
TESTS = "no exercise needs the tests or what runs them"
INSIDE = "it inspects or changes running code or the interpreter"
SYSTEM = "it starts programs, or uses the system or the network"

IMPORTED = {
    **dict.fromkeys(("tokenizers", "tiktoken", "transformers", "sentencepiece"), LIBRARY),
    **dict.fromkeys(("pytest", "unittest", "hypothesis", "conftest"), TESTS),
    **dict.fromkeys(("inspect", "gc", "ctypes", "importlib", "runpy", "pickle", "builtins", "atexit"), INSIDE),
    **dict.fromkeys(("subprocess", "socket", "threading", "signal"), SYSTEM),
    "solutions": "the answer key is not there when a submission is graded",
}
"""What counts on a line that imports."""
CALLED = {
    **dict.fromkeys(("exec", "eval", "__import__", "globals", "settrace"), INSIDE),
    **dict.fromkeys(("_exit", "fork", "kill", "killpg", "system", "popen", "posix_spawn", "execv", "execve"), SYSTEM),
    "open": "it opens a file",
}
"""What counts before a parenthesis."""
ANYWHERE = {
    **dict.fromkeys(("_getframe", "__globals__", "__subclasses__", "f_back", "gi_frame", "meta_path"), INSIDE),
    "G2C_SOLUTIONS": "it is the switch for the answer key",
}
UNUSUAL = IMPORTED | CALLED | ANYWHERE
"""Name -> why an instructor may want to see the code that has it."""

_WORD = re.compile(r"([^\W\d]\w*)(\s*\()?")


def unusual_names(source: bytes) -> list[tuple[int, str]]:
    """(line, name) for the first use of each name in `UNUSUAL`."""
    found: dict[str, int] = {}
    for number, line in enumerate(source.splitlines(), start=1):
        words = _WORD.findall(line.decode("utf-8", errors="replace"))
        imports = any(name == "import" for name, _ in words)
        for name, parenthesis in words:
            if name in ANYWHERE or (name in IMPORTED and imports) or (name in CALLED and parenthesis):
                found.setdefault(name, number)
    return [(number, name) for name, number in found.items()]
