"""Submissions for module 91 that attack the grader, and cannot halve a number.

Each entry has the code of `halve`; a pattern for the grade or report, which proves that the attack reached its target
and was stopped there; and perhaps code for the top of the file and for `double`. None may earn more than `double`'s 30
points. COURSE is the instructor's checkout, KEY its answer key, ZIP a zip of the key, and OUTSIDE a folder that must
not change. WALL has attacks that only a wall stops; BEATEN lists attacks that succeed against a weakened grader.
"""

import textwrap
from pathlib import Path

_CONNECTION = (
    "import gc, os, struct\nfrom multiprocessing.connection import Connection\n"
    "link = next(each for each in gc.get_objects() if isinstance(each, Connection))\nsend = link.send_bytes\n"
    "result = b'\\x83\\xa6ending\\x80\\xa7changed\\x80\\xa6result'  # A proper answer, up to its result.\n"
)
_UNREADABLE = "its answer cannot be read"
_NO_ANSWER = "did not return, so its process was ended"
_ENDLESS = "halve never returns"
TO_THE_KEY: dict[str, tuple[str, ...]] = {
    "import": (
        "import small.solutions.doubling\nreturn small.solutions.doubling.halve(number)",
        r"needs small.solutions",
    ),
    "switch": (
        "import os, small.toys\nos.environ['G2C_SOLUTIONS'] = 'all'\nvars(small.toys).pop('halve', None)\n"
        "return small.toys.halve(number)",
        r"made without the answers",
    ),
    "exec_of_text": (
        "space = {}\nexec(open(KEY).read(), space)\nreturn space['halve'](number)",
        r"No such file or directory: '.*small/solutions/doubling.py'",
    ),
    "zip_of_the_key": (
        "import sys\nsys.path.insert(0, ZIP)\nimport doubling\nreturn doubling.halve(number)",
        r"No module named 'doubling'",
    ),
    # `cat` needs milliseconds, so no busy machine keeps it from its end.
    "program": (
        "import subprocess\nspace = {}\n"
        "exec(subprocess.run(['cat', KEY], capture_output=True, text=True, check=True).stdout, space)\n"
        "return space['halve'](number)",
        r"halve raised CalledProcessError",
    ),
    "looks_everywhere": (
        "import os\nfor place in (COURSE, '/'):\n    for folder, _, files in os.walk(place):\n"
        "        if 'solutions' in folder and 'doubling.py' in files:\n            space = {}\n"
        "            exec(open(folder + '/doubling.py').read(), space)\n            return space['halve'](number)",
        r"assert None == 3|halve never returns",
    ),
}
"""Ways to the answer key that succeed where nothing stops them."""

WALL: dict[str, tuple[str, ...]] = TO_THE_KEY | {
    "processes_of_others": (
        "import os\nfound = []\nfor place in os.listdir('/proc'):\n    if place.isdigit():\n"
        "        found.append(open(f'/proc/{place}/cmdline').read())\n"
        "raise RuntimeError(f'{len(found)} processes')",
        r"halve raised RuntimeError: [1-3] processes",
    ),
    "kills_all": (
        "return number",
        r"No such process|ended its process",
        "import os, signal\nos.kill(-1, signal.SIGKILL)",
    ),
    "network": (
        "import socket\nreturn socket.create_connection(('127.0.0.1', PORT), 2) and number",
        r"Connection refused|Network is unreachable",
    ),
    "writes_outside": (
        "import os\nrefused = 0\nfor place in (OUTSIDE, COURSE, os.path.dirname(__file__), '/usr', '/'):\n"
        "    try:\n        open(place + '/g2c-written', 'w').close()\n"
        "    except OSError:\n        refused += 1\nraise RuntimeError(f'{refused} of 5 refused')",
        r"[45] of 5 refused",
    ),
}
"""Attacks that a wall stops."""

HOSTILE: dict[str, tuple[str, ...]] = {
    # To the test runner, by what is sent
    "large_announcement": (
        "os.write(link.fileno(), struct.pack('!iQ', -1, 2**63 - 1))\nreturn number",
        r"ended its process",
        _CONNECTION,
    ),
    "too_large_answer": ("return bytes(2**26)", r"a value that is too large"),
    "deep_answer": ("send(b'\\x91' * 10**6 + b'\\xc0')\nreturn number", _UNREADABLE, _CONNECTION),
    "deep_extensions": (
        "send(result + value)\nreturn number",
        _UNREADABLE,
        _CONNECTION + "import msgpack\nvalue = msgpack.packb(1)\nfor _ in range(500):\n"
        "    value = msgpack.packb(msgpack.ExtType(0, b'\\x91' + value))",
    ),
    "deep_value": (
        "found = []\nfor _ in range(10**5):\n    found = [found]\nreturn found",
        r"a value that is too large, or contains itself",
    ),
    "answers_in_advance": (
        "for _ in range(10_000):\n    send(result + b'\\x02')\nreturn number",
        r"assert 2 == 3",
        _CONNECTION,
    ),
    "closes_everything": ("import os\nos.closerange(0, 100)\nreturn number", r"ended its process"),
    # By what comes back
    "equals_everything": (
        "return Any(0)",
        r"assert 0 == 3",
        "class Any(int):\n    __eq__ = lambda self, other: True\n    __hash__ = int.__hash__\n"
        "    __index__ = lambda self: 3",
    ),
    "lies_about_its_class": (
        "return Any()",
        r"requires a 'int' object but received a 'Any'",
        "class Any:\n    __class__ = property(lambda self: int)\n    __eq__ = lambda self, other: True\n"
        "    __index__ = lambda self: 3\n    __len__ = lambda self: 3\n    __iter__ = lambda self: self\n"
        "    keys = lambda self: self",
    ),
    "endless_value": (
        "return Any([1])",
        f"{_NO_ANSWER}|MemoryError",
        "class Any(list):\n    def __iter__(self):\n        while True:\n            yield 1\n",
    ),
    "lying_error": (
        "raise ValueError('odd')",
        _NO_ANSWER,
        "class ValueError(ValueError):\n    def __str__(self):\n        while True:\n            pass",
    ),
    "long_error": ("raise RuntimeError('x' * 10**7)", r"x{200}"),
    "skips_by_pytest": ("pytest.skip('passed')", r"Skipped", "import pytest"),
    "segfault": ("import ctypes\nctypes.string_at(0)", r"exit code (-11|139)"),
    "large_number": ("return 10**100_000", r"assert <int object"),
    # By using up what there is
    "memory": ("rows = []\nwhile True:\n    rows.append(bytearray(10**7))", f"{_ENDLESS}|MemoryError"),
    "one_file": (
        "with open('large', 'wb') as file:\n    while True:\n        file.write(bytes(10**6))",
        r"File too large",
    ),
    "prints": ("while True:\n    print('x' * 10**6)", _ENDLESS, "print('x' * 10**7)"),
    "endless_import": (
        "return number",
        r"it does not finish",
        "while True:\n    try:\n        pass\n    except BaseException:\n        pass",
    ),
    # Files that are hard to read
    "deep_source": ("return number", r"cannot be imported: MemoryError", "found = " + "-" * 50_000 + "1"),
    "unknown_encoding": ("return number", r"unknown encoding", "# -*- coding: x-unknown -*-"),
    # What is left behind, and what is patched
    "pytest_is_patched": (
        "return number",
        r"assert 6 == 3|ended its process",
        "import builtins, gc, sys, pytest, _pytest.runner, _pytest.reports\n"
        "for name in ('runtestprotocol', 'call_and_report', 'pytest_runtest_call', 'pytest_runtest_makereport'):\n"
        "    setattr(_pytest.runner, name, lambda *args, **kwargs: None)\n"
        "_pytest.reports.TestReport.outcome = 'passed'\nbuiltins.AssertionError = BaseException\n"
        "builtins.isinstance = lambda *args: True\nsys.modules['coach.teaching'] = sys.modules['json']\n"
        "for found in gc.get_objects():\n"
        "    if type(found).__name__ in ('Session', 'CoursePlugin', 'RecordingPlugin'):\n"
        "        found.testsfailed = 0\n",
    ),
    "code_that_runs_at_the_end": (
        "import sys\nsys.exit(0)",
        r"SystemExit",
        "import atexit, os, threading, time\n"
        "def last():\n    while True:\n        try:\n            open(OUTSIDE + '/g2c-written', 'w').close()\n"
        "        except OSError:\n            time.sleep(0.01)\n"
        "atexit.register(last)\nthreading._register_atexit(last)\n"
        "for _ in range(8):\n    threading.Thread(target=last, daemon=False).start()",
    ),
    "is_killed_by_a_timer": (
        "return number",
        r"ended its process|assert \d+ == 3",
        "import os, signal, threading\nthreading.Timer(0.3, os.kill, (os.getpid(), signal.SIGKILL)).start()",
    ),
    "equal_hashes": (
        "send(result + b'\\xdf' + struct.pack('>I', 30_000) + pairs)\nreturn number",
        r"assert \{|cannot be read|did not return|assert .* == 3",
        _CONNECTION
        + "pairs = b''.join(b'\\xcf' + struct.pack('>Q', n * (2**61 - 1) % 2**64) + b'\\0' for n in range(30_000))",
    ),
    "huge_result": (
        "return [[]] * 10**7 if number == 6 else number",
        r"a value that is too large|MemoryError|never returns|did not return|assert \[\[\]",
    ),
    "collector_and_tracer": (
        "Back()\nraise KeyError('halve')",
        r"assert True == 6|did not return|does not finish",
        "import gc, sys\nclass Back:\n    def __del__(self):\n        Back()\n"
        "def forge(frame, event, argument):\n    while frame is not None:\n"
        "        for value in list(frame.f_locals.values()):\n"
        "            if isinstance(value, dict) and 'error' in value:\n                value.pop('error')\n"
        "            if isinstance(value, dict) and 'result' in value:\n                value['result'] = True\n"
        "        frame = frame.f_back\n    return forge\n"
        "gc.callbacks.append(lambda phase, info: forge(sys._getframe(), '', None))\ngc.set_threshold(1)\n"
        "sys.setprofile(forge)\nsys.settrace(forge)",
    ),
}


DOUBLE = "def double(number):\n    return 2 * number\n"


BEATEN: dict[str, dict[str, tuple[int, int, int]]] = {
    "no_wall": dict.fromkeys(TO_THE_KEY, (30, 30, 40)),
    "one_process": dict.fromkeys(("equals_everything", "lies_about_its_class"), (30, 15, 40)),
}
"""Change of weakened.py -> attack -> the points that it then earns."""


def source(name: str, course: Path, outside: Path) -> str:
    """The exercise file of an entry."""
    body, _, *others = (WALL | HOSTILE)[name]
    top, double = (*others, *("", DOUBLE)[len(others) :])
    places = {"COURSE": course, "KEY": course / "small/solutions/doubling.py", "OUTSIDE": outside}
    places["ZIP"] = outside / "key.zip"
    lines = [f"{word} = {str(path)!r}" for word, path in places.items()]
    function = f"def halve(number):\n{textwrap.indent(body, '    ')}\n"
    return "\n".join([top if name == "unknown_encoding" else "", *lines, top, f"{double}\n\n{function}"])
