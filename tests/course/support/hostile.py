"""A class for the tests of `g2c grade`: right and half-done submissions, and some that want more than they earn.

Each entry is written from the complete exercise file of module 04. `like` names the honest submission that has the same
marks, for whatever an attack may try.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

from g2c.common.paths import REPOSITORY
from g2c.course.exercises import modules
from g2c.course.source import find_function

MODULE = modules()["04"]
RIGHT = Path(__file__).resolve().parents[1] / "right" / "04"
STUB = MODULE.exercise_file.read_text(encoding="utf-8")


def solved(*names: str) -> str:
    """The exercise file with the answer key's code for these exercises; without names, for all."""
    text = STUB.replace("import BPEBase\n", "import BOUNDARY, BPEBase\n")
    for exercise in MODULE.exercises:
        if not names or exercise.name in names:
            answer = find_function(MODULE.key_file, exercise).code.split("\n", 1)[1]
            text = with_body(text, exercise.name, answer)
    return text


def with_body(text: str, name: str, body: str) -> str:
    """The exercise file with this code for one exercise, which must still be a TODO."""
    todo = f'        raise NotImplementedError("TODO: {name}")'
    assert text.count(todo) == 1
    return text.replace(todo, body)


def all_but(name: str, body: str | None = None, top: str = "") -> str:
    """Everything solved but one exercise, which has this code instead."""
    text = solved(*(exercise.name for exercise in MODULE.exercises if exercise.name != name))
    if body is not None:
        text = with_body(text, name, "\n".join(f"        {line}" for line in body.splitlines()))
    return at_top(text, top)


def at_top(text: str, code: str) -> str:
    """The file with code that runs when it is imported, before the classes."""
    first, rest = text.split("from collections.abc", 1)
    return f"{first}{code}\nfrom collections.abc{rest}"


def standing_alone(path: Path) -> str:
    """A right solution of another kind, as a student would hand it in."""
    text = path.read_text(encoding="utf-8")
    return text.replace(
        "from g2c.tokenizer.bpe import BPETokenizer as Exercise", "from g2c.tokenizer.base import BPEBase as Exercise"
    )


@dataclass(frozen=True)
class Entry:
    """A submission. `like`: the name of the one with the same marks, "full", or "nothing"."""

    code: str | None
    like: str
    note: str = ""
    """A regular expression for a sentence of the report."""
    others: dict[str, str] = field(default_factory=dict)
    """Further files that are handed in."""


def honest() -> dict[str, Entry]:
    found = {
        "key": Entry(solved(), "full"),
        "counter": Entry(standing_alone(RIGHT / "counter_and_pairwise.py"), "full"),
        "numpy": Entry(standing_alone(RIGHT / "numpy_arrays.py"), "full"),
        "untouched": Entry(STUB, "nothing"),
        "nothing_handed_in": Entry(None, "nothing", "No exercise file was found", {"notes.txt": "later"}),
        "beginner": Entry(solved("_get_pair_counts", "_merge"), "beginner"),
        "own_state": Entry(
            all_but(
                "decode",
                "self.calls = getattr(self, 'calls', 0) + 1\n"
                "if any(token_id not in self.vocab for token_id in ids):\n"
                "    raise ValueError([token_id for token_id in ids if token_id not in self.vocab])\n"
                "return b''.join(self.vocab[token_id] for token_id in ids).decode('utf-8', 'replace')",
            ),
            "full",
        ),
        "lowest_of_a_tie": Entry(
            solved().replace("pair = max(counts, key=counts.get)", "pair = min(counts, key=lambda p: (-counts[p], p))"),
            "lowest_of_a_tie",
            "Recognised: in a tie the pair with the lowest IDs wins",
        ),
    }
    for exercise in MODULE.exercises:
        found[f"without_{exercise.name}"] = Entry(all_but(exercise.name), f"without_{exercise.name}")
    return found


def hostile(outside: Path) -> dict[str, Entry]:
    """Submissions that misbehave. `outside` is a folder that has to stay empty."""
    key = REPOSITORY / "g2c" / "solutions" / "bpe.py"
    return {
        "prints": Entry(
            at_top(re.sub(r"(def \w+\(self.*:\n)", r"\1        print('x' * 1000)\n", solved()), "print(1)"),
            "full",
            "printed",
        ),
        "sleeps": Entry(all_but("decode", "import time\ntime.sleep(3600)"), "without_decode", "decode never returns"),
        "loops": Entry(all_but("encode", "while True:\n    pass"), "without_encode", "encode never returns"),
        "loops_and_catches": Entry(
            all_but(
                "encode",
                "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass",
            ),
            "without_encode",
            "encode never returns",
        ),
        "loops_in_c": Entry(
            all_but("decode", "import itertools\nreturn sum(itertools.count())"),
            "without_decode",
            "could only be stopped",
        ),
        "takes_all_memory": Entry(all_but("decode", "return [0] * 10**11"), "without_decode"),
        "piles_up": Entry(
            all_but("decode", "rows = []\nwhile True:\n    rows.append(bytearray(10**6))"), "without_decode"
        ),
        "exits_at_import": Entry(
            at_top(solved(), "import sys\nsys.exit(0)"), "nothing", "cannot be imported.*SystemExit"
        ),
        "exits_at_once": Entry(
            all_but("encode", "import os\nos._exit(0)"), "without_encode", "encode ended the process"
        ),
        "interrupts": Entry(all_but("encode", "raise KeyboardInterrupt"), "without_encode"),
        "forks": Entry(at_top(solved(), "import os, time\nif os.fork() == 0:\n    time.sleep(3600)"), "full", "fork"),
        "fork_bomb": Entry(
            at_top(solved(), "import os\nwhile True:\n    os.fork()"), "nothing", "more processes than are allowed"
        ),
        "writes": Entry(
            at_top(
                solved(), f"try:\n    open({str(outside / 'written')!r}, 'w').write('here')\nexcept OSError:\n    pass"
            ),
            "full",
            "tried to change",
        ),
        "imports_key": Entry(
            "from g2c.solutions.bpe import BPETokenizer\n", "nothing", "cannot be imported, line 1.*g2c.solutions"
        ),
        "reads_key": Entry(at_top(STUB, f"exec(open({str(key)!r}).read())"), "nothing", "tried to read"),
        "not_python": Entry(
            STUB.replace("class BPETokenizer(", "clas BPETokenizer("),
            "nothing",
            "cannot be imported, line \\d+.*SyntaxError",
        ),
        "patches_pytest": Entry(at_top(STUB, PATCH), "nothing"),
        "forges_report": Entry(at_top(STUB, FORGE), "nothing"),
        "equals_everything": Entry(all_but("decode", EQUAL), "without_decode"),
        "edits_tests": Entry(
            STUB,
            "nothing",
            "tests/test_tokenizer.py of its own",
            {
                "tests/test_tokenizer.py": "def test_nothing():\n    pass\n",
                "conftest.py": "import pytest\npytest.exit('fine', 0)\n",
            },
        ),
    }


PATCH = """
import builtins, gc, sys
import pytest, _pytest.runner, _pytest.reports
import g2c.course.limits
def passed(*args, **kwargs):
    return None
for name in ("runtestprotocol", "call_and_report", "pytest_runtest_call", "pytest_runtest_makereport"):
    setattr(_pytest.runner, name, passed)
_pytest.reports.TestReport.outcome = "passed"
builtins.AssertionError = BaseException
builtins.isinstance = lambda *args: True
sys.modules["g2c.course.teaching"] = sys.modules["json"]
for found in gc.get_objects():
    if type(found).__name__ in ("Session", "CoursePlugin", "Judge"):
        found.testsfailed = 0
"""

FORGE = """
import atexit, gc, json, os, socket, sys
def forge():
    for number in range(3, 20):
        try:
            os.write(number, b'{"test": "forged", "outcome": "passed"}')
        except OSError:
            pass
atexit.register(forge)
forge()
frame = sys._getframe()
while frame:
    for value in list(frame.f_locals.values()):
        if hasattr(value, "fence"):
            value.fence.notes.clear()
    frame = frame.f_back
"""

EQUAL = """class Everything(str):
    def __eq__(self, other):
        return True
    def __ne__(self, other):
        return False
    def __hash__(self):
        return 0
    def __len__(self):
        return 3
return Everything('x')"""


SMALL = (
    "key",
    "counter",
    "numpy",
    "untouched",
    "nothing_handed_in",
    "without_encode",
    "without_decode",
    "beginner",
    "loops",
    "exits_at_once",
    "forks",
    "writes",
    "imports_key",
    "reads_key",
    "patches_pytest",
    "forges_report",
    "equals_everything",
    "edits_tests",
)
"""Enough to see every kind of thing that a submission may try."""


def the_class(outside: Path, *, whole: bool) -> dict[str, Entry]:
    """The submissions by name: all of them, or those in SMALL."""
    return {name: entry for name, entry in (honest() | hostile(outside)).items() if whole or name in SMALL}
