"""Whether a regex of the Rust library `tokenizers` backtracks catastrophically, found out in a process of its own.

A regex such as (a+)+b can match "aaaa" in 2**4 ways, and tries all of them before it finds that there is no b. The
engine, Oniguruma, gives up after ten million attempts; the library then panics: it writes to the terminal and raises a
`BaseException`. Neither can be prevented in the process itself.
"""

import ast
import re
import subprocess
import sys

REPETITIONS = 200
"""On a text of this many repetitions, a regex whose attempts grow exponentially exceeds the limit of the engine."""

_PROGRAM = """
import contextlib, resource, sys
from tokenizers import Regex, pre_tokenizers
with contextlib.suppress(ValueError):  # there is a lower limit already
    resource.setrlimit(resource.RLIMIT_CPU, (10, 10))
split = pre_tokenizers.Split(Regex(sys.argv[1]), "isolated")
repetitions = int(sys.argv[2])
# The engine does not even try a text without the characters that the regex needs.
end = "\\x01" + " ".join(sys.argv[3:])
for repeated in sys.argv[3:]:
    print(ascii(repeated), flush=True)
    split.pre_tokenize_str(repeated * repetitions + end)
"""


def catastrophic_text(regex: str) -> str | None:
    """A text on whose repetitions the regex exceeds the engine's limit; None if none was found.

    What is repeated are characters that the regex contains, some others, and runs of letters and digits in it. This
    takes two tenths of a second, and finds the usual forms, but cannot find all.

    Args:
        regex: one that compiles.
    """
    literal = re.sub(r"\\[pP]\{[^}]*\}|\\[a-zA-Z]|\{[\d,]*\}", "", regex)
    repeated = [*dict.fromkeys([*"aA0 !\n", "\u00e9", *literal, *re.findall(r"\w{2,8}", literal)])][:100]
    try:
        probe = subprocess.run(
            [sys.executable, "-I", "-c", _PROGRAM, regex, str(REPETITIONS), *repeated],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
        )
    except (OSError, ValueError):
        return None  # no process can be started here, or the regex contains a null character
    tried = probe.stdout.splitlines()
    return None if probe.returncode == 0 or not tried else str(ast.literal_eval(tried[-1]))
