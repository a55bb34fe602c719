"""Whether a regex of the Rust library `tokenizers` takes too long: on any text, and on a given one.

A regex such as (a+)+b can match "aaaa" in 2**4 ways, and tries all of them before it finds that there is no b. The
engine, Oniguruma, gives up after ten million attempts; the library then panics: it writes to the terminal and raises a
`BaseException`. Neither can be prevented in the process itself, so this is found out in another one.

A regex such as [a-z]+-|. is fast on usual texts. In a million letters without a space, however, it reads from each
letter on to the last one, in vain: that takes hours, and the engine cannot be interrupted. So before a long text is
split, its longest line, word and run of white space, and its end, are split from their last characters on: twice as
many each time, until the time for all of them is known to be short, or to grow with the square of the length.
"""

import ast
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count, takewhile
from typing import NamedTuple

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


MOST_SECONDS = 120
"""The longest time that a part of a text may take, as far as it can be foreseen."""

_FIRST_TRY = 256
_MEASURABLE = 0.1
_LONGEST_TRY = 10
_FOLLOWING = 100


class Slow(NamedTuple):
    """A part of a text that would take too long: so many characters, of which the last `tried` took `seconds`."""

    characters: int
    tried: int
    seconds: float

    @property
    def expected_seconds(self) -> float:
        """The time that the whole part would take at least."""
        return self.seconds * (self.characters / self.tried) ** 2


def slow_part(split: Callable[[str], object], text: str) -> Slow | None:
    """The first of the long parts of a text that would take more than `MOST_SECONDS`; None if there is none.

    Only processor time is counted, and only time that grows with the square of the length or faster, so a slow or busy
    machine makes no difference.

    Args:
        split: splits a text by a regex, in time that may depend on the text.
        text: any text.
    """
    for begin, end in _long_parts(text):
        times: list[float] = []
        for tried in _powers_of_two(_FIRST_TRY, end - begin):
            # What follows is needed: the engine does not try a text without the characters that a match ends with.
            part = text[end - tried : end + _FOLLOWING]
            started = time.thread_time()
            split(part)
            times.append(time.thread_time() - started)
            slow = Slow(end - begin, tried, times[-1])
            if slow.expected_seconds <= MOST_SECONDS or slow.seconds > _LONGEST_TRY:
                break
            # Four times as many characters take four times as long, or else sixteen times as long or more.
            if slow.seconds > _MEASURABLE and len(times) > 2 and slow.seconds > 9 * times[-3]:
                return slow
    return None


def _powers_of_two(first: int, end: int) -> Iterator[int]:
    return takewhile(lambda number: number < end, (first << exponent for exponent in count()))


def _long_parts(text: str) -> Iterator[tuple[int, int]]:
    """Begin and end of the text, of its longest line and word, and of its longest run of white space."""
    yield 0, len(text)
    runs = re.findall(rf"\s{{{_FIRST_TRY},}}", text)
    for parts in (text.split("\n"), text.split(), runs):
        longest = max(parts, key=len, default="")
        begin = text.index(longest)
        yield begin, begin + len(longest)
