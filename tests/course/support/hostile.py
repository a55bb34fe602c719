"""Submissions for module 91 that attack the grader, and cannot halve a number.

Each entry has the code of `halve`; a pattern for the grade or report, which proves that the attack reached its target
and was stopped there; and perhaps code for the top of the file and for `double`. None may earn more than `double`'s 30
points. COURSE is the instructor's checkout, KEY its answer key, ZIP a zip of the key, OUTSIDE a folder that must not
change, and WRITTEN a file name that no other test writes. BEATEN lists attacks that succeed against a weakened grader.
"""

import textwrap
from pathlib import Path

_CONNECTION = (
    "import gc, os, struct\nfrom multiprocessing.connection import Connection\n"
    "link = next(each for each in gc.get_objects() if isinstance(each, Connection))\nsend = link.send_bytes\n"
)
_UNREADABLE = "its answer cannot be read"
_NO_ANSWER = "did not return, so its process was ended"
_ENDLESS = "halve never returns"
_REFUSED = (
    "import os\ntried = refused = 0\ndef attempt(function, *arguments):\n    global tried, refused\n    tried += 1\n"
    "    try:\n        return function(*arguments)\n    except PermissionError:\n        refused += 1\n"
)
_SAY_SO = "raise RuntimeError(f'{refused} of {tried} refused')"
_ALL_REFUSED = r"halve raised RuntimeError: ([1-9]\d*) of \1 refused"
"""The kernel refuses every attempt. One that fails for another reason does not count as refused."""

TO_THE_KEY: dict[str, tuple[str, ...]] = {
    "import": ("import g2c.solutions.doubling\nreturn g2c.solutions.doubling.halve(number)", r"imports g2c.solutions"),
    "switch": (
        "import os, g2c.toys\nos.environ['G2C_SOLUTIONS'] = 'all'\nvars(g2c.toys).pop('halve', None)\n"
        "return g2c.toys.halve(number)",
        r"made without the answers",
    ),
    "exec_of_text": (
        "space = {}\nexec(open(KEY).read(), space)\nreturn space['halve'](number)",
        r"Permission denied: 'g2c/solutions/doubling.py'",
    ),
    "zip_of_the_key": (
        "import sys\nsys.path.insert(0, ZIP)\nimport doubling\nreturn doubling.halve(number)",
        r"No module named 'doubling'",
    ),
    "program": (
        "import subprocess, sys\ncode = f'import sys; sys.path.insert(0, {COURSE!r}); '\n"
        "code += f'from g2c.solutions.doubling import halve; print(halve({number!r}))'\n"
        "return int(subprocess.run([sys.executable, '-c', code], capture_output=True, text=True).stdout)",
        r"Operation not permitted",
    ),
    "looks_everywhere": (
        "import os\nfor place in (COURSE, '/'):\n    for folder, _, files in os.walk(place):\n"
        "        if 'solutions' in folder and 'doubling.py' in files:\n            space = {}\n"
        "            exec(open(folder + '/doubling.py').read(), space)\n            return space['halve'](number)",
        r"assert None == 3",
    ),
}
"""Ways to the answer key that succeed where nothing stops them."""

_STEALS_WHAT_IS_LENT = (
    "import builtins\nstolen = ''\ndef compile(source, *rest):\n    global stolen\n"
    "    stolen = source[source.index('def double'):source.index('def halve')].rstrip() + '\\0'\n"
    "    return builtins.compile(source, *rest)\n"
    "def bits(): return [place for place in range(8 * len(stolen)) if ord(stolen[place // 8]) >> place % 8 & 1]\n"
    "def read(bits): return bytes(sum((8 * n + k in bits) << k for k in range(8)) for n in range(125))\n"
    "def use(found): exec(found.partition(b'\\0')[0], globals())\n"
)
"""Steals the answer key's code for `double` if it is in the student's process, as it once was."""
_WRONG = "def double(number): return 0"

HOSTILE: dict[str, tuple[str, ...]] = TO_THE_KEY | {
    # To the key, and from a submission to another one
    "locks_of_the_spy": (
        "lock([*bits(), 1000] if stolen else [1001])\nif stolen:\n    time.sleep(9)\n" + _SAY_SO,
        _ALL_REFUSED,
        _REFUSED + _STEALS_WHAT_IS_LENT + "import fcntl, time\nplace = open('/dev/null', 'r+b')\n"
        "def lock(bits):\n    for bit in bits:\n"
        "        attempt(fcntl.lockf, place, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 1 + bit)",
        _WRONG,
    ),
    "locks_of_the_reader": (
        _SAY_SO,
        _ALL_REFUSED,
        _REFUSED + _STEALS_WHAT_IS_LENT + "import fcntl, struct, time\nplace = open('/dev/null', 'r+b')\n"
        "def is_locked(bit):\n    asked = struct.pack('hhqqi4x', fcntl.F_WRLCK, 0, 1 + bit, 1, 0)\n"
        "    found = attempt(fcntl.fcntl, place, fcntl.F_GETLK, asked)\n"
        "    return found is not None and struct.unpack('hhqqi4x', found)[0] != fcntl.F_UNLCK\n",
        "end = time.monotonic() + 18\nwhile not is_locked(1000) and not refused and time.monotonic() < end:\n"
        f"    time.sleep(0.02)\n{_WRONG}\nif is_locked(1000):\n"
        "    use(read({bit for bit in range(1000) if is_locked(bit)}))\n",
    ),
    "processes_of_others": (
        "import os\nfor place in os.listdir('/proc'):\n    for name in ('cwd', 'root' + COURSE):\n        try:\n"
        "            text = open(f'/proc/{place}/{name}/g2c/solutions/doubling.py').read()\n"
        "            space = {}\n            exec(text, space)\n"
        "            return space['halve'](number)\n        except OSError:\n            pass\n"
        "return len(open(f'/proc/{os.getppid()}/environ').read())",
        r"Permission denied: '/proc'",
    ),
    # To the processes that grade
    "kills_all": ("return number", r"Operation not permitted", "import os, signal\nos.kill(-1, signal.SIGKILL)"),
    # To the test runner, by what is sent
    "large_announcement": (
        "os.write(link.fileno(), struct.pack('!iQ', -1, 2**63 - 1))\nreturn number",
        r"ended its process",
        _CONNECTION,
    ),
    "too_large_answer": ("return bytes(2**26)", r"a value that is too large"),
    "deep_answer": ("send(b'\\x91' * 10**6 + b'\\xc0')\nreturn number", _UNREADABLE, _CONNECTION),
    "deep_extensions": (
        "send(b'\\x81\\xa6result' + value)\nreturn number",
        _UNREADABLE,
        _CONNECTION + "import msgpack\nvalue = msgpack.packb(1)\nfor _ in range(500):\n"
        "    value = msgpack.packb(msgpack.ExtType(0, b'\\x91' + value))",
    ),
    "deep_value": (
        "found = []\nfor _ in range(10**5):\n    found = [found]\nreturn found",
        r"a value that is too large, or contains itself",
    ),
    "answers_in_advance": (
        "for _ in range(10_000):\n    send(b'\\x81\\xa6result\\x02')\nreturn number",
        r"assert 2 == 3",
        _CONNECTION,
    ),
    "fast_byte_by_byte": (
        "os.write(link.fileno(), struct.pack('!i', 2**24))\nwhile True:\n    os.write(link.fileno(), b'x')",
        _NO_ANSWER,
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
        "    __next__ = lambda self: 3\n    keys = lambda self: self",
    ),
    "endless_value": (
        "return Any([1])",
        f"{_NO_ANSWER}|MemoryError",
        "class Any(list):\n    def __iter__(self):\n        while True:\n            yield 1\n",
    ),
    "error_far_away": (
        "if number % 2:\n    return number\nraise UnicodeDecodeError('utf-8', b'x', -(2**40), 1 - 2**40, 'far away')",
        r"far away",
        "class UnicodeDecodeError(Exception):\n    pass",
    ),
    "lying_error": (
        "raise ValueError('odd')",
        _NO_ANSWER,
        "class ValueError(ValueError):\n    def __str__(self):\n        while True:\n            pass",
    ),
    "long_error": ("raise RuntimeError('x' * 10**7)", r"x{200}"),
    "skips_by_pytest": ("pytest.skip('passed')", r"Skipped", "import pytest"),
    "segfault": ("import ctypes\nctypes.string_at(0)", r"exit code -11"),
    "hash_collisions": ("return {value * (2**61 - 1): 0 for value in range(20_000)}", r"never returns"),
    "long_class_name": ("raise type('A' * 10**6, (KeyError,), {})", r"A{100}"),
    "large_number": ("return 10**100_000", r"assert <int object"),
    "surrogates": ("raise RuntimeError('\\ud800' * 10 + '\\0')", r"halve raised RuntimeError"),
    # By using up what there is
    "memory": ("rows = []\nwhile True:\n    rows.append(bytearray(10**7))", f"{_ENDLESS}|MemoryError"),
    "one_file": (
        "with open('large', 'wb') as file:\n    while True:\n        file.write(bytes(10**6))",
        r"File too large",
    ),
    "files_without_a_name": (
        "for index in range(50):\n    kept.append(os.open('x', os.O_CREAT | os.O_RDWR))\n    os.unlink('x')\n"
        "    os.write(kept[-1], bytes(15 * 10**6))\nreturn number",
        r"Too many open files",
        "import os\nkept = []",
    ),
    "prints": ("while True:\n    print('x' * 10**6)", _ENDLESS, "print('x' * 10**7)"),
    "endless_in_c": ("import itertools\nreturn sum(itertools.count())", _NO_ANSWER),
    "endless_import": (
        "return number",
        r"does not finish when it is imported",
        "while True:\n    try:\n        pass\n    except BaseException:\n        pass",
    ),
    # To the disk and the network
    "writes_outside": (
        _SAY_SO,
        _ALL_REFUSED,
        _REFUSED + "import g2c\nown, home = os.path.dirname(g2c.__file__), os.path.expanduser('~')\n"
        "for place in (OUTSIDE, COURSE, COURSE + '/g2c', '/tmp', '/var/tmp', '/dev/shm', os.path.dirname(home)):\n"
        "    attempt(open, place + WRITTEN, 'w')\n"
        "for name in ('grading/protocol.py', 'grading/sandbox.py', 'toys/__init__.py', 'toys/doubling.py'):\n"
        "    for place in (COURSE + '/g2c/', own + '/'):\n"
        "        assert os.path.exists(place + name)\n        attempt(open, place + name, 'a')",
    ),
    "modes_and_times": (
        _SAY_SO,
        _ALL_REFUSED,
        _REFUSED + "for change in (lambda: os.chmod(OUTSIDE, 0), lambda: os.utime(OUTSIDE, (0, 0)),\n"
        "        lambda: os.truncate(OUTSIDE + '/file', 0), lambda: os.remove(OUTSIDE + '/file'),\n"
        "        lambda: os.setxattr(OUTSIDE, 'user.x', b'x'), lambda: os.rename(OUTSIDE, OUTSIDE + '-')):\n"
        "    attempt(change)",
    ),
    # Files that are hard to read
    "deep_source": ("return number", r"cannot be imported: MemoryError", "found = " + "-" * 50_000 + "1"),
    "unknown_encoding": ("return number", r"unknown encoding", "# -*- coding: x-unknown -*-"),
    # What is left behind, and what is patched
    "pytest_is_patched": (
        "return number",
        r"assert 6 == 3",
        "import builtins, gc, sys, pytest, _pytest.runner, _pytest.reports\n"
        "for name in ('runtestprotocol', 'call_and_report', 'pytest_runtest_call', 'pytest_runtest_makereport'):\n"
        "    setattr(_pytest.runner, name, lambda *args, **kwargs: None)\n"
        "_pytest.reports.TestReport.outcome = 'passed'\nbuiltins.AssertionError = BaseException\n"
        "builtins.isinstance = lambda *args: True\nsys.modules['g2c.course.teaching'] = sys.modules['json']\n"
        "for found in gc.get_objects():\n"
        "    if type(found).__name__ in ('Session', 'CoursePlugin', 'RecordingPlugin'):\n"
        "        found.testsfailed = 0\n",
    ),
    "links_in_the_scratch_folder": (
        _SAY_SO,
        _ALL_REFUSED,
        _REFUSED + "for number, place in enumerate(('/', '/etc', OUTSIDE, COURSE, KEY, '..', '.', '/proc/self/fd')):\n"
        "    attempt(os.symlink, place, f'symlink{number}')\n"
        "attempt(os.rename, os.getcwd(), os.getcwd() + '-gone')\nattempt(os.mkdir, 'folder')",
    ),
    "code_that_runs_at_the_end": (
        "import sys\nsys.exit(0)",
        r"SystemExit",
        "import atexit, os, threading, time\n"
        "def last():\n    while True:\n        try:\n            open(OUTSIDE + WRITTEN, 'w').close()\n"
        "        except OSError:\n            time.sleep(0.01)\n"
        "atexit.register(last)\nthreading._register_atexit(last)\n"
        "for _ in range(8):\n    threading.Thread(target=last, daemon=False).start()",
    ),
    "collector_and_tracer": (
        "Back()\nraise KeyError('halve')",
        r"assert True == 6",
        "import gc, sys\nclass Back:\n    def __del__(self):\n        Back()\n"
        "def forge(frame, event, argument):\n    while frame is not None:\n"
        "        for value in list(frame.f_locals.values()):\n"
        "            if isinstance(value, dict) and ('result' in value or 'error' in value):\n"
        "                value.pop('error', None)\n                value['result'] = True\n"
        "        frame = frame.f_back\n    return forge\n"
        "gc.callbacks.append(lambda phase, info: forge(sys._getframe(), '', None))\ngc.set_threshold(1)\n"
        "sys.setprofile(forge)\nsys.settrace(forge)",
    ),
}


DOUBLE = "def double(number):\n    return 2 * number\n"
RIGHT = f"""{DOUBLE}

def halve(number):
    if number % 2:
        raise ValueError(f"{{number}} is odd")
    return number // 2
"""


_FULL = (30, 30, 40)
_HALF = (30, 15, 40)
_NOT_REFUSED = r"halve raised RuntimeError: (?!(\d+) of \1 refused)"
BEATEN: dict[str, dict[str, tuple[int, int, int] | str]] = {
    "no_landlock": dict.fromkeys(TO_THE_KEY.keys() - {"program"}, _FULL)
    | {"writes_outside": _NOT_REFUSED, "links_in_the_scratch_folder": "its files cannot be counted"},
    "no_landlock_and_no_seccomp": {"program": _FULL, "modes_and_times": _NOT_REFUSED},
    "key_in_the_process": {"locks_of_the_spy": (0, 0, 0), "locks_of_the_reader": (30, 0, 0)},
    "one_process": dict.fromkeys(("equals_everything", "lies_about_its_class"), _HALF),
}
"""Change of weakened.py -> attack -> the points that it then earns, or a pattern for the report."""

TIMES = (
    f"{_STEALS_WHAT_IS_LENT}import os\nfiles = [f'{{FILES}}/{{number}}' for number in range(1000)]\n{_WRONG}\n"
    "times = [os.stat(file) for file in files]\n"
    "use(read({bit for bit, time in enumerate(times) if time.st_atime > time.st_mtime}))\n\n\n"
    "def halve(number):\n    for bit in bits():\n        open(files[bit], 'rb').read(1)\n    return 0\n"
)
"""A submission that passes stolen code on to its next grading, by reading some of the files in FILES."""


def written_name(outside: Path) -> str:
    return f"/g2c-written{str(outside).replace('/', '-')}"


def source(name: str, course: Path, outside: Path) -> str:
    """The exercise file of an entry."""
    body, _, *others = HOSTILE[name]
    top, double = (*others, *("", DOUBLE)[len(others) :])
    places = {"COURSE": course, "KEY": course / "g2c/solutions/doubling.py", "OUTSIDE": outside}
    places["ZIP"] = outside / "key.zip"
    lines = [f"{word} = {str(path)!r}" for word, path in places.items()]
    lines.append(f"WRITTEN = {written_name(outside)!r}")
    function = f"def halve(number):\n{textwrap.indent(body, '    ')}\n"
    return "\n".join([top if name == "unknown_encoding" else "", *lines, top, f"{double}\n\n{function}"])
