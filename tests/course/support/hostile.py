"""Submissions for module 91 that attack whatever grades them. None of them can halve a number.

Each entry is code for the top of the exercise file and code for `halve`; `double` is right. So none may have more than
the 30 points of `double`. COURSE is the instructor's checkout, KEY its answer key, ZIP a zip of the key, OUTSIDE a
folder that has to stay as it is.
"""

import textwrap
from pathlib import Path

_LIBC = "import ctypes\nlibc = ctypes.CDLL(None, use_errno=True)\n"
_CONNECTION = (
    "import gc, os, struct\nfrom multiprocessing.connection import Connection\n"
    "link = next(each for each in gc.get_objects() if isinstance(each, Connection))\nsend = link.send_bytes\n"
)
_ANSWER = "b'\\x83\\xa6result\\x02\\xa9arguments\\x90\\xa6states\\x90'"
_PROCESSES = (
    "import os\nothers = [int(name) for name in os.listdir('/proc') if name.isdigit() and int(name) != os.getpid()]\n"
)

TO_THE_KEY: dict[str, tuple[str, str]] = {
    "import": ("", "import g2c.solutions.doubling\nreturn g2c.solutions.doubling.halve(number)"),
    "switch": (
        "",
        "import os, g2c.toys\nos.environ['G2C_SOLUTIONS'] = 'all'\nvars(g2c.toys).pop('halve', None)\n"
        "return g2c.toys.halve(number)",
    ),
    "exec_of_text": ("", "space = {}\nexec(open(KEY).read(), space)\nreturn space['halve'](number)"),
    "zip_of_the_key": ("", "import sys\nsys.path.insert(0, ZIP)\nimport doubling\nreturn doubling.halve(number)"),
    "search_path": (
        "",
        "import sys\nsys.path.insert(0, COURSE)\n"
        "for name in [name for name in sys.modules if name.startswith('g2c')]:\n    del sys.modules[name]\n"
        "from g2c.solutions.doubling import halve as found\nreturn found(number)",
    ),
    "path_of_the_package": (
        "",
        "import importlib, sys\nsys.modules['g2c'].__path__.append(COURSE + '/g2c')\n"
        "return importlib.import_module('g2c.solutions.doubling').halve(number)",
    ),
    "pth_file": (
        "",
        "import os, site\nopen('course.pth', 'w').write(COURSE + '/g2c\\n')\nsite.addsitedir(os.getcwd())\n"
        "from solutions.doubling import halve as found\nreturn found(number)",
    ),
    "pickle": ("", "import pickle\nreturn pickle.loads(b'cg2c.solutions.doubling\\nhalve\\n.')(number)"),
    "program": (
        "",
        "import subprocess, sys\ncode = f'import sys; sys.path.insert(0, {COURSE!r}); '\n"
        "code += f'from g2c.solutions.doubling import halve; print(halve({number!r}))'\n"
        "return int(subprocess.run([sys.executable, '-c', code], capture_output=True, text=True).stdout)",
    ),
    "folder_descriptor": (
        "",
        "import os\nfolder = os.open('/usr', os.O_RDONLY)\nspace = {}\n"
        "exec(open(os.open('..' + KEY, os.O_RDONLY, dir_fd=folder)).read(), space)\nreturn space['halve'](number)",
    ),
    "native_code": (
        _LIBC,
        "place = libc.open(KEY.encode(), 0)\nimport os\nspace = {}\nexec(os.read(place, 9999), space)\n"
        "return space['halve'](number)",
    ),
    "looks_everywhere": (
        "",
        "import os\nfor place in (COURSE, '/'):\n    for folder, _, files in os.walk(place):\n"
        "        if 'solutions' in folder and 'doubling.py' in files:\n            space = {}\n"
        "            exec(open(folder + '/doubling.py').read(), space)\n            return space['halve'](number)",
    ),
}
"""Ways to the answer key, which lead there where nothing stops them."""

HOSTILE = TO_THE_KEY | {
    "engine": ("", "from g2c.engine import fast\nreturn fast and number"),
    "tests_of_the_course": (
        "",
        "return eval(open(COURSE + '/tests/test_doubling.py').read().split('==')[1].split()[0])",
    ),
    "copy_of_the_runner": (
        "",
        "import g2c\nplace = g2c.__file__ + '/../../../../runner/g2c/solutions/doubling.py'\nspace = {}\n"
        "exec(open(place).read(), space)\nreturn space['halve'](number)",
    ),
    "processes_of_others": (
        "",
        "import os\nfor place in os.listdir('/proc'):\n    for name in ('cwd', 'root' + COURSE):\n        try:\n"
        "            text = open(f'/proc/{place}/{name}/g2c/solutions/doubling.py').read()\n"
        "            space = {}\n            exec(text, space)\n"
        "            return space['halve'](number)\n        except OSError:\n            pass\n"
        "return len(open(f'/proc/{os.getppid()}/environ').read())",
    ),
    "native_module": (
        "",
        "import importlib.machinery, importlib.util, os\nopen('halving.so', 'wb').write(b'ELF')\n"
        "loader = importlib.machinery.ExtensionFileLoader('halving', os.path.abspath('halving.so'))\n"
        "return importlib.util.module_from_spec(importlib.util.spec_from_loader('halving', loader)).halve(number)",
    ),
    # To the processes that grade
    "kills_all": ("import os, signal\nos.kill(-1, signal.SIGKILL)", "return number"),
    "signal_from_the_kernel": (
        _PROCESSES + "import fcntl\nfor other in others:\n    for place in range(3, 20):\n        try:\n"
        "            fcntl.fcntl(place, fcntl.F_SETOWN, other)\n            fcntl.fcntl(place, fcntl.F_SETSIG, 9)\n"
        "            fcntl.fcntl(place, fcntl.F_SETFL, os.O_ASYNC)\n        except OSError:\n            pass",
        "return number",
    ),
    "memory_of_others": (
        _PROCESSES + "for other in others:\n    try:\n        open(f'/proc/{other}/mem', 'r+b').write(b'x')\n"
        "    except OSError:\n        pass",
        "return number",
    ),
    "fork_bomb": (
        "import os\nwhile True:\n    try:\n        os.fork()\n    except OSError:\n        break",
        "return number",
    ),
    "threads": (
        "import threading, time\ntry:\n    for _ in range(100_000):\n"
        "        threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()\n"
        "except RuntimeError:\n    pass",
        "return number",
    ),
    # To the test runner, by what is sent
    "large_announcement": (_CONNECTION, "os.write(link.fileno(), struct.pack('!iQ', -1, 2**63 - 1))\nreturn number"),
    "large_answer": (_CONNECTION, "send(b'\\xc6' + struct.pack('>I', 15 * 2**20) + bytes(15 * 2**20))\nreturn number"),
    "too_large_answer": ("", "return bytes(2**26)"),
    "many_values": (_CONNECTION, "send(b'\\xdd' + struct.pack('>I', 3 * 10**7) + b'\\x90' * 3 * 10**7)\nreturn number"),
    "deep_answer": (_CONNECTION, "send(b'\\x91' * 10**6 + b'\\xc0')\nreturn number"),
    "deep_extensions": (
        _CONNECTION + "import msgpack\nvalue = msgpack.packb(1)\nfor _ in range(500):\n"
        "    value = msgpack.packb(msgpack.ExtType(0, b'\\x91' + value))",
        "send(b'\\x81\\xa6result' + value)\nreturn number",
    ),
    "deep_value": ("", "found = []\nfor _ in range(10**5):\n    found = [found]\nreturn found"),
    "error_names": (
        _CONNECTION + "import msgpack",
        "error = {'kinds': ['Skipped', 'Exit', 'SystemExit', 'KeyboardInterrupt'], 'args': [0], 'text': '',"
        " 'origin': None, 'import': None}\nsend(msgpack.packb({'error': error}))\nreturn number",
    ),
    "answers_in_advance": (_CONNECTION, f"for _ in range(10_000):\n    send({_ANSWER})\nreturn number"),
    "fast_byte_by_byte": (
        _CONNECTION,
        "os.write(link.fileno(), struct.pack('!i', 2**24))\nwhile True:\n    os.write(link.fileno(), b'x')",
    ),
    "indexes_and_types": (
        _CONNECTION + "import itertools, msgpack\n"
        "odd = itertools.cycle([{'argument': -1}, {'argument': 2**63}, {'argument': 'x'}, {'error': {'kinds': []}}, 5,"
        " {'result': 1, 'states': [[[], 5]]}, {'result': 1, 'arguments': [[-9, 1]]},"
        " {'result': 1, 'printed': [float('nan'), 5]}, {'over': [b'', 5, 'x', {}, 1]},"
        " {'over': ['f', None, float('nan'), -1, False]}, {}, *({'result': msgpack.ExtType(code, msgpack.packb(value))}"
        " for code, value in ((0, 5), (1, [[]]), (3, [1]), (4, 'x'), (4, ['<f8', [2**62, 0], b'']),"
        " (4, ['|O', [1], bytes(8)]), (5, ['|b1', [], b'']), (6, 5), (7, [[], '\\0']), (8, 'f' * 10**6), (55, 0)))])",
        "send(msgpack.packb(next(odd)))\nreturn number",
    ),
    "damaged_messages": (
        _CONNECTION
        + "import itertools\nodd = itertools.cycle([b'', b'\\xc1', b'\\xdd\\xff\\xff\\xff\\xff', b'\\xd4\\x55\\xc0',"
        " b'\\xd4\\x06\\xc0', b'\\x81\\x90\\x02', b'\\xc0\\xc0', b'\\x81\\xa6result'])",
        "send(next(odd))\nreturn number",
    ),
    "closes_everything": ("", "import os\nos.closerange(0, 100)\nreturn number"),
    "stops_itself": ("", "import os, signal\nos.kill(os.getpid(), signal.SIGSTOP)\nreturn number"),
    "shuts_down": (
        _CONNECTION,
        "import socket\nsocket.socket(fileno=link.fileno()).shutdown(socket.SHUT_RDWR)\nreturn number",
    ),
    "answer_method": (
        "import gc\nfor each in gc.get_objects():\n    if type(each).__name__ == 'Sandbox':\n"
        "        type(each).answer = lambda self, request: {'result': True, 'arguments': [], 'states': []}",
        "return number",
    ),
    "limits_taken_off": (
        "import gc, signal\nsignal.setitimer(signal.ITIMER_REAL, 0)\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, range(1, 32))",
        "while True:\n    pass",
    ),
    # By what comes back
    "equals_everything": (
        "class Any(int):\n    __eq__ = lambda self, other: True\n    __hash__ = int.__hash__\n"
        "    __index__ = lambda self: 3",
        "return Any(0)",
    ),
    "lies_about_its_class": (
        "class Any:\n    __class__ = property(lambda self: int)\n    __eq__ = lambda self, other: True\n"
        "    __index__ = lambda self: 3\n    __len__ = lambda self: 3\n    __iter__ = lambda self: self\n"
        "    __next__ = lambda self: 3\n    keys = lambda self: self",
        "return Any()",
    ),
    "endless_value": (
        "class Any(list):\n    def __iter__(self):\n        while True:\n            yield 1\n",
        "return Any([1])",
    ),
    "endless_repr": ("class Any:\n    def __repr__(self):\n        while True:\n            pass", "return Any()"),
    "error_far_away": (
        "class UnicodeDecodeError(Exception):\n    pass",
        "if number % 2:\n    return number\nraise UnicodeDecodeError('utf-8', b'x', -(2**40), 1 - 2**40, 'far away')",
    ),
    "lying_error": (
        "class ValueError(ValueError):\n    def __str__(self):\n        while True:\n            pass",
        "raise ValueError('odd')",
    ),
    "long_error": ("", "raise RuntimeError('x' * 10**7)"),
    "skips_by_pytest": ("import pytest", "pytest.skip('passed')"),
    "exits": ("", "import os\nos._exit(0)"),
    "segfault": ("", "import ctypes\nctypes.string_at(0)"),
    "recursion": ("import sys\nsys.setrecursionlimit(10**9)", "def down(): return down() + 1\nreturn down()"),
    "hash_collisions": ("", "return {value * (2**61 - 1): 0 for value in range(20_000)}"),
    "large_number": ("", "return 10**100_000"),
    "surrogates": ("", "raise RuntimeError('\\ud800' * 10 + '\\0')"),
    # By using up what there is
    "memory": ("", "rows = []\nwhile True:\n    rows.append(bytearray(10**7))"),
    "one_file": ("", "with open('large', 'wb') as file:\n    while True:\n        file.write(bytes(10**6))"),
    "many_files": ("", "for index in range(10**7):\n    open(str(index), 'w').close()\nreturn number"),
    "files_without_a_name": (
        "import os\nkept = []",
        "for index in range(50):\n    kept.append(os.open('x', os.O_CREAT | os.O_RDWR))\n    os.unlink('x')\n"
        "    os.write(kept[-1], bytes(15 * 10**6))\nreturn number",
    ),
    "closed_folders": (
        "",
        "import os\nos.makedirs('a/b')\nopen('a/b/c', 'w').close()\nos.umask(0o777)\nos.mkdir('a/d')\n"
        "os.mkdir('e')\nos._exit(0)",
    ),
    "anonymous_files": (
        _LIBC,
        "import os\nplaces = []\nfor index in range(50):\n    places.append(os.memfd_create('x'))\n"
        "    os.write(places[-1], bytes(10**7))\nreturn number",
    ),
    "prints": ("print('x' * 10**7)", "while True:\n    print('x' * 10**6)"),
    "endless_in_c": ("", "import itertools\nreturn sum(itertools.count())"),
    "endless_pattern": ("", "import re\nreturn re.match('(a*)*b', 'a' * 40)"),
    "endless_in_del": (
        "class Any:\n    def __del__(self):\n        while True:\n            pass",
        "Any()\nreturn number",
    ),
    "endless_import": ("while True:\n    try:\n        pass\n    except BaseException:\n        pass", "return number"),
    # To the disk and the network
    "writes_outside": (
        "import os\nhome = os.path.expanduser('~')\n"
        "for place in (OUTSIDE, COURSE, COURSE + '/g2c', '/tmp', '/var/tmp', '/dev/shm', home):\n"
        "    try:\n        open(place + '/g2c-written', 'w').write('x')\n    except OSError:\n        pass",
        "return number",
    ),
    "modes_and_times": (
        "import os\nfor change in (lambda: os.chmod(OUTSIDE, 0), lambda: os.utime(OUTSIDE, (0, 0)),\n"
        "        lambda: os.truncate(OUTSIDE + '/file', 0), lambda: os.remove(OUTSIDE + '/file'),\n"
        "        lambda: os.setxattr(OUTSIDE, 'user.x', b'x'), lambda: os.rename(OUTSIDE, OUTSIDE + '-')):\n"
        "    try:\n        change()\n    except OSError:\n        pass",
        "return number",
    ),
    "rewrites_the_course": (
        "import glob, os, sys\nfor place in [*sys.path, *glob.glob('/tmp/**/g2c', recursive=True)]:\n"
        "    for name in ('grading/codec.py', 'grading/marks.py', 'tokenizer/__init__.py', 'toys/__init__.py'):\n"
        "        for path in (place + '/' + name, place + '/g2c/' + name):\n            try:\n"
        "                open(path, 'a').write('raise SystemExit')\n            except OSError:\n                pass",
        "return number",
    ),
    "network": (
        "import socket\ntry:\n    socket.create_connection(('127.0.0.1', 22), 1).send(b'x')\nexcept OSError:\n    pass",
        "return number",
    ),
    "program_by_number": (_LIBC, "libc.system(b'kill -9 -1')\nreturn number"),
    # Files that are hard to read
    "deep_source": ("found = " + "-" * 50_000 + "1", "return number"),
    "unknown_encoding": ("# -*- coding: x-unknown -*-", "return number"),
    "endless_decorator": ("@(lambda function: [0 for _ in iter(int, 1)])\ndef function(): pass", "return number"),
    # What is left behind, and what is patched
    "pytest_is_patched": (
        "import builtins, gc, sys\n"
        "import pytest, _pytest.runner, _pytest.reports\n"
        "def passed(*args, **kwargs):\n"
        "    return None\n"
        'for name in ("runtestprotocol", "call_and_report", "pytest_runtest_call", "pytest_runtest_makereport"):\n'
        "    setattr(_pytest.runner, name, passed)\n"
        '_pytest.reports.TestReport.outcome = "passed"\n'
        "builtins.AssertionError = BaseException\n"
        "builtins.isinstance = lambda *args: True\n"
        'sys.modules["g2c.course.teaching"] = sys.modules["json"]\n'
        "for found in gc.get_objects():\n"
        '    if type(found).__name__ in ("Session", "CoursePlugin", "RecordingPlugin"):\n'
        "        found.testsfailed = 0\n",
        "return number",
    ),
    "orphans_that_stay": (
        "import os, time\n"
        "def stay():\n    for _ in range(40):\n        try:\n            if os.fork() == 0:\n"
        "                os.setsid()\n"
        "                if os.fork() == 0:\n                    while True:\n"
        "                        time.sleep(0.01)\n"
        "                os._exit(0)\n        except OSError:\n            pass\nstay()",
        "stay()\nreturn -1",
    ),
    "results_that_grow": (
        "",
        "found = ['x' * 1000] * 1000\nfor _ in range(6):\n    found = [found] * 30\nreturn found",
    ),
    "a_class_with_a_long_name": (
        "LONG = 'A' * 10**6",
        "raise type(LONG, (KeyError,), {'__module__': LONG, '__qualname__': LONG})(*[LONG] * 3)",
    ),
    "a_number_that_changes": (
        "class Answer(int):\n    asked = 0\n    def __eq__(self, other): return True\n"
        "    def __ne__(self, other): return False\n    def __hash__(self): return 0\n"
        "    def __index__(self):\n        Answer.asked += 1\n        return Answer.asked\n"
        "    def __reduce_ex__(self, protocol): return (eval, ('1',))\n"
        "    def bit_length(self): return 1\n    __int__ = __float__ = __trunc__ = __index__",
        "return Answer(-1)",
    ),
    "packing_is_patched": (
        "import sys, builtins",
        "for name, module in list(sys.modules.items()):\n    for word in ('packb', 'pack', 'encode', "
        "'snapshot', 'dumps'):\n"
        "        if name.split('.')[0] in ('msgpack', 'g2c', 'pickle') and hasattr(module, word):\n"
        "            setattr(module, word, lambda *data, **options: b'\\x82\\xa6result\\xc3\\xa5equal\\xc3')\n"
        "builtins.isinstance = builtins.issubclass = builtins.callable = lambda *things: True\n"
        "builtins.len = builtins.int = builtins.type = lambda *things: 1\nreturn -1",
    ),
    "modules_for_the_next_start": (
        "",
        "import os, site, sys\nforged = 'import os\\nos.write(1, "
        'b"passed")\\ndef halve(number): return number // 2\\n\'\n'
        "names = ('sitecustomize', 'usercustomize', 'numpy', 'msgpack', 'doubling', 'conftest', 'pytest', "
        "'encodings')\n"
        "for folder in ['.', os.environ.get('HOME', '.'), OUTSIDE, site.getusersitepackages(), *sys.path]:\n"
        "    for name in names:\n        for ending in ('.py', '.pth', '/__init__.py'):\n            try:\n"
        "                os.makedirs(os.path.dirname(f'{folder}/{name}{ending}'), exist_ok=True)\n"
        "                open(f'{folder}/{name}{ending}', 'w').write(forged)\n            except OSError:\n"
        "                pass\nos._exit(0)",
    ),
    "links_in_the_scratch_folder": (
        "",
        "import os\nfor number, place in enumerate(('/', '/etc', OUTSIDE, COURSE, KEY, '..', '../..', '.', "
        "'/proc/self/fd')):\n"
        "    for make in (os.symlink, os.link):\n        try:\n            make(place, f'{make.__name__}{number}')\n"
        "        except OSError:\n            pass\n"
        "for number in range(9):\n    try:\n        os.chmod(f'symlink{number}', 0)\n"
        "        open(f'symlink{number}/g2c-written', 'w').close()\n    except OSError:\n        pass\n"
        "try:\n    os.rename(os.getcwd(), os.getcwd() + '-gone')\nexcept OSError:\n    pass\nreturn -1",
    ),
    "signals_of_every_kind": (
        "import os, signal\n"
        "for number in range(1, 65):\n    try:\n        signal.signal(number, signal.SIG_IGN)\n"
        "    except (OSError, ValueError):\n"
        "        pass\nsignal.pthread_sigmask(signal.SIG_BLOCK, range(1, 65))",
        "for target in (0, -1, os.getppid(), -os.getppid(), os.getpgid(0)):\n    for number in (9, 15, 19, 14):\n"
        "        try:\n            os.kill(target, number)\n        except OSError:\n            pass\n"
        "while True:\n    try:\n        while True:\n            pass\n    except BaseException:\n        pass",
    ),
    "code_that_runs_at_the_end": (
        "import atexit, os, threading, time\n"
        "def last():\n    while True:\n        try:\n            open(OUTSIDE + '/g2c-written', 'w').close()\n"
        "        except OSError:\n            time.sleep(0.01)\n"
        "atexit.register(last)\nthreading._register_atexit(last)\n"
        "for _ in range(8):\n    threading.Thread(target=last, daemon=False).start()",
        "import sys\nsys.exit(0)",
    ),
    "collector_and_tracer": (
        "import gc, sys\n"
        "class Back:\n    def __del__(self):\n        Back()\n"
        "def forge(frame, event, argument):\n    while frame is not None:\n"
        "        for value in list(frame.f_locals.values()):\n"
        "            if isinstance(value, dict) and ('result' in value or 'error' in value):\n"
        "                value.pop('error', None)\n                value['result'] = True\n"
        "                value['equal'] = True\n"
        "        frame = frame.f_back\n    return forge\n"
        "gc.callbacks.append(lambda phase, info: forge(sys._getframe(), '', None))\ngc.set_threshold(1)\n"
        "sys.setprofile(forge)\nsys.settrace(forge)",
        "Back()\nraise KeyError('halve')",
    ),
}


DOUBLE = "def double(number):\n    return 2 * number\n"
RIGHT = f"""{DOUBLE}

def halve(number):
    if number % 2:
        raise ValueError(f"{{number}} is odd")
    return number // 2
"""


def source(name: str, course: Path, outside: Path) -> str:
    """The exercise file of an entry."""
    top, body = HOSTILE[name]
    places = {"COURSE": course, "KEY": course / "g2c/solutions/doubling.py", "OUTSIDE": outside}
    places["ZIP"] = outside / "key.zip"
    lines = [f"{word} = {str(path)!r}" for word, path in places.items()]
    function = f"def halve(number):\n{textwrap.indent(body, '    ')}\n"
    return "\n".join([top if name == "unknown_encoding" else "", *lines, top, f"{DOUBLE}\n\n{function}"])
