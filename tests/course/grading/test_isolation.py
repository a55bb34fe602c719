"""The student's process: what it may use, what ends it, and the wall around it.

Here single calls are made, without a suite. That attacks earn no points is part of test_hostile.py.
"""

import errno
import os
import re
import signal
import sysconfig
import tempfile
import textwrap
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import CodeType, SimpleNamespace
from typing import Any

import msgpack
import pytest

from g2c.common.errors import CourseError
from g2c.common.paths import REPOSITORY
from g2c.course.exercises import Module, modules
from g2c.course.testing.limits import EndedProcess, OverLimit
from g2c.grading import folders, processes, remote
from g2c.grading.remote import Student, make_proxies
from support.exercise_files import MODULE, STUB, all_but, solved, with_body
from support.weakened import key_code

IDS, PAIR, NEW_ID = [1, 2, 3, 1, 2], (1, 2), 256
MERGED = [256, 3, 256]


@pytest.fixture(scope="module")
def session_folder(tmp_path_factory) -> Path:
    """The folder of a session as `g2c grade` makes it."""
    session = tmp_path_factory.mktemp("isolation") / "session"
    session.mkdir()
    folders.make_template(session / "template")
    return session


@pytest.fixture
def hand_in(session_folder, wall) -> Iterator[Callable[..., Student]]:
    """A function that takes an exercise file and what nobody may read, and returns the student whose code it is."""
    started = []

    def run(code: str, *private: Path, module: Module = MODULE) -> Student:
        place = session_folder / f"submission-{len(list(session_folder.iterdir()))}"
        place.mkdir()
        files, hidden = {module.exercise_path: code.encode()}, [REPOSITORY, session_folder, *private]
        started.append(Student(folders.copy_for_student(place, session_folder / "template", files, hidden)))
        return started[-1]

    yield run
    for student in started:
        student.close()


def a_tokenizer(student: Student) -> Any:
    return make_proxies(MODULE, student)["BPETokenizer"]()


def merge(student: Student) -> list[int]:
    """What the student's `_merge` returns."""
    return a_tokenizer(student)._merge(IDS, PAIR, NEW_ID)


def test_every_submission_may_use_its_room_and_its_scratch_folder(hand_in):
    code = (
        "from g2c.common.text import token_text\nfrom g2c.tokenizer import show\n"
        "from g2c.tokenizer.base import BOUNDARY\nfrom g2c.tokenizer.patterns import PATTERNS\n"
        "import collections, itertools, numpy, tokenizers\n"
        "open('notes.txt', 'w').write('scratch')\nreturn [256, 3, 256]"
    )
    student = hand_in(all_but("_merge", code))
    assert merge(student) == MERGED and student.notes == []


def test_an_attribute_that_cannot_travel_stays_with_the_code_that_set_it(hand_in):
    code = "if isinstance(self.vocab, dict):\n    self.vocab = iter(text)\nreturn [ord(next(self.vocab))]"
    tokenizer = a_tokenizer(hand_in(all_but("encode", code)))
    assert tokenizer.encode("ab") + tokenizer.encode("ab") == [97, 98]
    with pytest.raises(TypeError, match="only by the code that made it"):
        next(tokenizer.vocab)


def test_an_error_has_the_class_that_the_code_gave_it_and_not_one_of_the_same_name(hand_in):
    code = "class ValueError(Exception):\n    pass\n\n\nclass LookupError(KeyError):\n    pass\n"
    student = hand_in(all_but("_merge", "raise ValueError('own') if ids else LookupError('own')", code))
    with pytest.raises(Exception, match="own") as caught:
        merge(student)
    assert type(caught.value).__name__ == "ValueError" and not isinstance(caught.value, ValueError)
    with pytest.raises(KeyError, match="own"):
        a_tokenizer(student)._merge([], PAIR, NEW_ID)


@pytest.mark.parametrize(("file", "line"), [("g2c/tokenizer/base.py", 30), ("g2c/tokenizer/../solutions/bpe.py", 1)])
def test_an_error_comes_from_no_file_but_those_beside_the_exercises(hand_in, file, line):
    """Of any file that a traceback names, a report could show lines: of the hidden tests, of the answer key."""
    code = f"import msgpack\nanswer = {{'error': ['KeyError', 'KeyError', 'odd', ''], 'origin': ['f', {file!r}, 30]}}\n"
    code += "link.send_bytes(msgpack.packb(answer))\ntime.sleep(60)"
    with pytest.raises(KeyError, match="odd") as caught:
        merge(hand_in(all_but("_merge", code, CONNECTION)))
    last = caught.traceback[-1]
    place = file if line == 30 else MODULE.exercise_path
    assert (last.path, last.lineno + 1) == (REPOSITORY / place, line)


@pytest.mark.parametrize("body", ["return (1", "if text\n    return 1", "if text:", "return 'abc"])
def test_a_function_that_is_not_python_is_left_out_and_the_rest_works(hand_in, body):
    student = hand_in(all_but("encode", body))
    assert merge(student) == MERGED
    assert re.search(r"bpe.py, line \d+ is left out: def encode\(self, text: str\)", student.notes[0])


# --- the answer key's code, which is called and never there -----------------------------------------------------------


@pytest.fixture
def borrow(hand_in) -> Callable[..., Student]:
    """A function that takes an exercise file and names of exercises, for which the answer key's code is called."""

    def run(code: str, *names: str, module: Module = MODULE) -> Student:
        student = hand_in(code, module=module)
        key = hand_in(folders.answered_file(module).decode(), module=module)
        remote.lend(key, student, module, [each for each in module.exercises if each.name in names])
        return student

    return run


CALLS = """
ids = list(text.encode())
return [self.train_step(ids, 256), list(self.merges), self.vocab[256],
        self._get_pair_counts(number for number in ids), BPETokenizer()._get_pair_counts(ids)]"""


def test_the_key_s_code_is_called_with_the_state_of_the_object_and_changes_it(borrow):
    """An object that the student's code has made itself keeps the student's function."""
    code = with_body(solved("_merge"), "_get_pair_counts", "        return 'own'")
    code = with_body(code, "encode", textwrap.indent(CALLS, " " * 8))
    tokenizer = a_tokenizer(borrow(code, "_get_pair_counts", "train_step"))
    expected = [([256, 256], (97, 98), 2), [(97, 98)], b"ab"]
    assert tokenizer.encode("abab") == [*expected, {(97, 98): 2, (98, 97): 1}, "own"]
    assert tokenizer.merges == {(97, 98): 256} and tokenizer.vocab[256] == b"ab"


def test_what_the_key_s_code_changes_in_its_arguments_is_changed_wherever_it_is_named(borrow):
    module = modules()["04e"]
    code = module.exercise_file.read_text(encoding="utf-8").replace(
        'raise NotImplementedError("TODO: train_incremental")',
        "tables = build_tables(word_counts)\n    counts, words = tables.pair_counts, tables.words\n"
        "    apply_merge(tables, (97, 98), 256)\n    return [counts, words]",
    )
    student = borrow(code, "build_tables", "apply_merge", module=module)
    counts, words = make_proxies(module, student)["train_incremental"]({b"abc": 2}, 1)
    assert (counts, words) == ({(256, 99): 2}, [[256, 99]])


def test_the_time_of_the_key_s_code_is_not_the_student_s(borrow, short_limits):
    student = borrow(all_but("encode", "return self._merge([1, 1], (1, 1), 2)"), "_merge")
    [key] = student.lent.values()
    call = key.call
    key.used, key.call = 100.0, lambda *request: time.sleep(3) or call(*request)
    assert a_tokenizer(student).encode("") == [2]


FAILS = """
import traceback
try:
    self.decode([999])
except ValueError as error:
    files = {frame.filename.rpartition("/")[2] for frame in traceback.extract_tb(error.__traceback__)}
    return [str(error), type(error).__mro__[1].__name__, error.__cause__, error.__context__, files]"""


def test_of_an_error_of_the_key_s_code_nothing_arrives_but_its_class_and_text(borrow):
    tokenizer = a_tokenizer(borrow(all_but("encode", FAILS), "decode"))
    text, *rest, files = tokenizer.encode("")
    assert "999" in text and rest == ["ValueError", None, None] and files == {"bpe.py", "sandbox.py"}


ODD_CALLS = {
    "too many values": "self._get_pair_counts(bytes(17 * 2**20))",
    "itself": "ids = []\nids.append(ids)\nself._get_pair_counts(ids)",
    "levels": "ids = []\nfor _ in range(2000):\n    ids = [ids]\nself._get_pair_counts(ids)",
    "time": "self._merge([1] * 3 * 10**6, (1, 2), 1)",
    "memory": "self.vocab = {0: b'x' * 10**6}\nself.decode([0] * 10**5)",
    "attributes": "self.vocab = {5: 7}\nself.decode([5])",
    "an object": "self._get_pair_counts(self)",
    "an opaque object": "self._get_pair_counts(object())",
    "no such argument": "self._get_pair_counts(5, 5, x=5)",
    "a class": "class Other(BPETokenizer):\n    pass\nOther()._merge(5, 5, 5)",
}
FORGED = [
    {"call": 5},
    {"call": ["g2c.tokenizer.bpe", "BPETokenizer", "encode"], "owner": None, "args": [], "kwargs": {}},
    {"call": [[], [], []], "owner": 1, "args": [], "kwargs": {}},
    {"call": ["g2c.tokenizer.bpe", "BPETokenizer", "_merge"], "owner": 5, "args": 5, "kwargs": 5},
    {"call": ["g2c.tokenizer.bpe", "BPETokenizer", "_merge"], "owner": 10**9, "args": [[]], "kwargs": {}},
    {"call": ["g2c.tokenizer.bpe", "BPETokenizer", "_merge"], "owner": None, "args": [], "kwargs": {}, "changes": 5},
]


@pytest.mark.timeout(300)
@pytest.mark.whole
def test_whatever_is_given_to_the_key_s_code_ends_that_call_and_no_other(borrow, short_limits):
    odd = "\n".join(f"    if text == {name!r}:\n{textwrap.indent(code, ' ' * 8)}" for name, code in ODD_CALLS.items())
    odd += (
        f"\n    if text.isdigit():\n        link.send_bytes(msgpack.packb({{'changes': {{}}}} | {FORGED!r}[int(text)]))"
    )
    odd += "\n        time.sleep(60)"
    odd += "\n    while text == 'endless':\n        try:\n            self._merge([1], (1, 1), 1)"
    odd += "\n        except Exception:\n            pass"
    code = f"try:\n{odd}\nexcept Exception as error:\n    return [type(error).__name__]\n"
    code += "return self._merge([1, 1], (1, 1), 2)"
    exercise_file = all_but("encode", code, f"import msgpack\n{CONNECTION}")
    student = borrow(exercise_file, "_get_pair_counts", "_merge", "decode")
    tokenizer = a_tokenizer(student)
    found = {}
    for name in ODD_CALLS:
        student.used = 0
        found[name] = tokenizer.encode(name)
    assert {name for name, value in found.items() if value == [2]} == set()
    for place in range(len(FORGED)):
        student.used = 0
        with pytest.raises(EndedProcess, match="cannot be read"):
            tokenizer.encode(str(place))
    student.used = 0
    with pytest.raises(OverLimit):
        tokenizer.encode("endless")
    student.used = 0
    assert tokenizer.encode("") == [2] == a_tokenizer(student).encode("")


def needles(module: Module) -> set[bytes]:
    """What only the answer key has: lines, and of its functions the bytecode, its table of lines, and long texts."""
    source = module.key_file.read_text(encoding="utf-8")
    found = {line.strip().encode() for line in source.splitlines() if len(line.strip()) > 25}
    codes = [compile(source, "key", "exec")]
    for code in codes:
        codes += [each for each in code.co_consts if isinstance(each, CodeType)]
        if code.co_name in {each.name for each in module.exercises}:
            found |= {each.encode() for each in code.co_consts if isinstance(each, str) and len(each) > 12}
            found |= {code.co_linetable, code.co_code}
    return found


def found_in_memory(process_id: int, searched: set[bytes]) -> set[bytes]:
    found = set()
    with open(f"/proc/{process_id}/maps") as maps, open(f"/proc/{process_id}/mem", "rb", buffering=0) as memory:
        for line in maps:
            begin, end = (int(place, 16) for place in line.split()[0].split("-"))
            if line.split()[1].startswith("r") and "[v" not in line:
                memory.seek(begin)
                content = memory.read(end - begin)
                found |= {needle for needle in searched if needle in content}
    return found


READABLE = """
found = []
for name in text:
    try:
        with open(name, "rb") as file:
            found.append([name, file.read(1)])
    except OSError:
        pass
return found"""


@pytest.mark.timeout(300)
@pytest.mark.parametrize("is_lent", [True, pytest.param(False, marks=pytest.mark.whole)])
def test_nothing_of_the_key_is_in_the_memory_of_a_student_s_process_or_in_files_that_it_can_read(
    borrow, session_folder, is_lent
):
    """Where the key's code is put into the student's file, as it once was, the search finds it."""
    lent = [each for each in MODULE.exercises if each.name in ("_get_pair_counts", "_merge", "train_step")]
    code = "if not text:\n    return self.train_step([1, 2, 3], 256)[0]\n" + READABLE
    code = with_body(STUB, "encode", textwrap.indent(code, " " * 8))
    names = [each.name for each in lent] if is_lent else []
    student = borrow(code if is_lent else f"{code}\n\n{key_code(MODULE, lent)}\n", *names)
    tokenizer = a_tokenizer(student)
    assert tokenizer.encode("") == [256, 3]
    public = b"\n".join(path.read_bytes() for path in (session_folder / "template").rglob("*.py*"))
    searched = {needle for needle in needles(MODULE) if needle not in public}
    files = [path for top in (session_folder, REPOSITORY / "g2c") for path in top.rglob("*") if path.is_file()]
    files = [path for path in files if any(needle in path.read_bytes() for needle in searched)]
    assert len(searched) > 30 and len(files) > 2
    readable = {str(path): b"" for path in files} | dict(tokenizer.encode(list(map(str, files))))
    in_files = [name for name, first in readable.items() if first]
    in_memory = found_in_memory(student.process._process.pid, searched)
    if is_lent:
        assert (in_files, in_memory) == ([], set())
    else:
        assert in_files and len(in_memory) > 5


# --- limits that the code may switch off in its own process -----------------------------------------------------------

CONNECTION = (
    "import gc, os, signal, struct, time\nfrom multiprocessing.connection import Connection\n"
    "link = next(each for each in gc.get_objects() if isinstance(each, Connection))\n"
)
NO_LIMITS = "signal.setitimer(signal.ITIMER_REAL, 0)\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
TOO_MANY_FILES = "written more than 64 files"
"""In the note on a process that was ended because of them."""


@pytest.mark.timeout(120)
@pytest.mark.parametrize("content", ["bytes(2**20)", "b''"], ids=["files of 1 MB", "empty files"])
def test_a_process_that_writes_too_many_files_is_ended_at_any_time(hand_in, content):
    """It has begun an answer, so that the test runner reads."""
    code = "os.write(link.fileno(), b'1')\nfor number in range(400):\n    with open(str(number), 'wb') as file:\n"
    code += f"        file.write({content})\n    time.sleep(0.002)\ntime.sleep(60)"
    student = hand_in(all_but("_merge", code, CONNECTION))
    with pytest.raises(EndedProcess, match=f"_merge was stopped: .*{TOO_MANY_FILES}"):
        merge(student)
    assert any(TOO_MANY_FILES in note for note in student.notes)
    files = list(student.settings.scratch.rglob("*"))
    assert sum(path.stat().st_size for path in files if path.is_file()) < 200 * 2**20


def test_a_submission_starts_threads_but_not_too_many(hand_in):
    pool = "with ThreadPoolExecutor(4) as pool:\n    return list(pool.map(abs, [256, 3, 256]))"
    assert merge(hand_in(all_but("_merge", pool, "from concurrent.futures import ThreadPoolExecutor"))) == [256, 3, 256]
    many = (
        "ctypes.CDLL(None).prctl(15, b'Threads:\\t1')\nthreading.stack_size(2**18)\nfor _ in range(300):\n"
        "    threading.Thread(target=time.sleep, args=[60]).start()\ntime.sleep(60)"
    )
    with pytest.raises(EndedProcess, match="_merge was stopped: it has more than 100 threads"):
        merge(hand_in(all_but("_merge", many, "import ctypes, threading, time")))


def test_too_many_files_from_the_start_end_it_before_any_answer(hand_in):
    """However often it is started: otherwise the mark would depend on how soon somebody looks."""
    top = "for number in range(65):\n    open(str(number), 'w').close()\n"
    for _ in range(2):
        with pytest.raises(ImportError, match=f"cannot be imported: it was stopped: .*{TOO_MANY_FILES}"):
            merge(hand_in(all_but("_merge", "return [256, 3, 256]", top)))


@pytest.fixture
def short_limits(monkeypatch):
    """Half a second for a call, so that the tests of what is too slow are quick."""
    monkeypatch.setattr(remote, "LIMITS", replace(remote.LIMITS, seconds=0.5))


EXTENSIONS = [(0, 5), (1, [[]]), (4, "x"), (4, ["<f8", [2**62, 0], b""])]
EXTENSIONS += [(4, ["|b1", [], b""]), (5, 5), (55, 0)]
ODD_ANSWERS = [b"", b"\xc1", b"\xdd\xff\xff\xff\xff", b"\xd4\x55\xc0", b"\x81\x90\x02", b"\xc0\xc0", b"\x81\xa6result"]
ODD_ANSWERS += map(
    msgpack.packb,
    [
        {"result": msgpack.ExtType(4, b"\x00")},
        *({"result": msgpack.ExtType(code, msgpack.packb(content))} for code, content in EXTENSIONS),
        {"result": 1, "changes": 5},
        {"result": 1, "changes": {0: 5}},
        {"argument": 2**63},
        {"argument": "x"},
        {"error": 5},
        {"error": {"kinds": []}},
        {"over": [b"", 5, "x", {}]},
        {"over": ["f", 0.5, "x", True]},
        [1],
        5,
        {},
    ],
)


@pytest.mark.whole
@pytest.mark.timeout(300)
def test_an_answer_that_cannot_be_read_is_an_error_and_a_note(hand_in, monkeypatch):
    """The IDs choose the answer. The last one can be read, which shows that they all arrive."""
    monkeypatch.setattr(remote, "MAX_FAILURES", 99)
    readable = msgpack.packb({"result": MERGED})
    code = f"link.send_bytes({[*ODD_ANSWERS, readable]!r}[ids[0]])\ntime.sleep(60)"
    student = hand_in(all_but("_merge", code, CONNECTION))
    tokenizer = a_tokenizer(student)
    for place, answer in enumerate(ODD_ANSWERS):
        student.notes.clear()
        with pytest.raises(RuntimeError, match="cannot be read"):
            pytest.fail(f"{answer!r} is read as {tokenizer._merge([place], PAIR, NEW_ID)}")
        assert any("cannot be read" in note for note in student.notes), answer
    assert tokenizer._merge([len(ODD_ANSWERS)], PAIR, NEW_ID) == MERGED


def test_a_function_that_is_not_called_again_leaves_those_with_its_name_in_other_modules(hand_in, monkeypatch):
    monkeypatch.setattr(remote, "MAX_FAILURES", 2)
    student = hand_in(all_but("_merge", "os._exit(0)", "import os"))
    for _ in range(3):
        with pytest.raises(RuntimeError, match="ended its process"):
            merge(student)
    assert student.process is None, "the third call was not made"
    with pytest.raises(NotImplementedError):
        make_proxies(modules()["04b"], student)["WordBPETokenizer"]()._next_merge(("a", "b"))


@pytest.mark.parametrize(("status", "ends"), [("running", False), ("sleeping", True)])
def test_only_waiting_is_limited_by_the_clock(hand_in, monkeypatch, status, ends):
    """A process that runs and gets no processor, since the machine is busy or pauses, goes on."""
    monkeypatch.setattr(remote, "LIMITS", replace(remote.LIMITS, seconds=0.1))
    student = hand_in(all_but("_merge", f"{NO_LIMITS}time.sleep(3)\nreturn [256, 3, 256]", CONNECTION))
    assert student.problem_of_import(MODULE.import_name) is None
    monkeypatch.setattr(student.process._seen, "status", lambda: status)
    if ends:
        with pytest.raises(OverLimit):
            merge(student)
    else:
        assert merge(student) == MERGED


# --- faults of the machine, which are not the student's ---------------------------------------------------------------


@pytest.mark.parametrize("memory", [0, 2**30])
def test_a_process_that_somebody_else_kills_is_a_fault_of_the_machine_unless_it_has_much_memory(hand_in, memory):
    student = hand_in(solved())
    assert merge(student) == MERGED
    student.process._most_memory = memory
    os.kill(student.process._process.pid, signal.SIGKILL)
    with pytest.raises(EndedProcess if memory else processes.MachineFault):
        merge(student)
    assert merge(student) == MERGED, "the next call has a new process"


def test_a_process_that_ends_before_it_has_the_code_is_a_fault_of_the_machine(hand_in, monkeypatch):
    monkeypatch.setattr(processes, "_START", processes._START.replace("main(Connection", "exit(1)\nmain(Connection"))
    with pytest.raises(processes.MachineFault):
        merge(hand_in(solved()))


@pytest.mark.parametrize("free", [0, 10**9])
def test_a_full_disk_is_what_the_grader_sees_and_not_what_the_student_s_code_says(hand_in, monkeypatch, free):
    student = hand_in(all_but("_merge", "import errno, os\nraise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))"))
    monkeypatch.setattr(remote.shutil, "disk_usage", lambda path: SimpleNamespace(free=free))
    with pytest.raises(OSError if free else processes.MachineFault):
        merge(student)


# --- the wall ---------------------------------------------------------------------------------------------------------


def test_without_the_wall_grading_is_refused_with_the_ways_out(session_folder, tmp_path, monkeypatch):
    change = "from g2c.grading import wall\nwall.restrict_files = None\nmain(Connection"
    monkeypatch.setattr(processes, "_START", processes._START.replace("main(Connection", change))
    with pytest.raises(CourseError) as caught:
        folders.require_wall(tmp_path, session_folder / "template")
    for words in ("Landlock", "docs/grading.md", "--unsafe"):
        assert words in str(caught.value)


NO_SECCOMP = "from g2c.grading import wall\nwall.restrict_system_calls = lambda: None\nmain(Connection"
UNPRIVILEGED = {
    "watching files": "libc.inotify_init1(0)",
    "shared memory": "libc.shmget(1, 4096, 0o1777)",
    "semaphores": "libc.semget(1, 1, 0o1777)",
    "message queues": "libc.msgget(1, 0o1777)",
    "outliving the runner": "libc.prctl(1, 0, 0, 0, 0)",
    "hiding its memory": "libc.prctl(4, 0, 0, 0, 0)",
    "record locks": "libc.fcntl(os.open('file', os.O_CREAT | os.O_RDWR), 6, LOCK)",
    "record locks of others": "libc.fcntl(os.open('/dev/null', os.O_RDWR), 5, LOCK)",
    "locks of open files": "libc.fcntl(os.open('file', os.O_CREAT | os.O_RDWR), 37, LOCK)",
    "locks of files": "libc.flock(os.open('file', os.O_CREAT | os.O_RDWR), 2)",
    "leases": "libc.fcntl(os.open(os.__file__, os.O_RDONLY), 1024, 1)",
    "limits of others": "libc.prlimit(os.getppid(), 0, None, ctypes.create_string_buffer(16))",
    "being killed": "libc.prlimit(0, 0, struct.pack('=QQ', 10**9, 10**9), None)",
    "modes": "libc.chmod(b'.', 0o777)",
    "sockets": "libc.socket(2, 1, 0)",
    "processes": "libc.fork()",
    "room behind a file": "libc.fallocate(os.open('file', os.O_CREAT | os.O_RDWR), 1, ctypes.c_long(0), "
    "ctypes.c_long(2**20))",
    # FS_IOC_RESVSP64: the same, and no limit of this process holds for it.
    "room by ioctl": "libc.ioctl(os.open('file', os.O_CREAT | os.O_RDWR), 0x4030582A, "
    "struct.pack('=hhiqqi20x', 0, 0, 0, 0, 2**20, 0))",
}
"""Calls of the C library that no exercise needs, and that succeed without seccomp in any container, behind Landlock and
without capabilities."""
REFUSED = UNPRIVILEGED | {
    "watching the disk": "libc.fanotify_init(0, 0)",
    "shared memory of others": "libc.shmat(0, None, 0)",
    "keys": "libc.syscall({'x86_64': 250, 'aarch64': 219}[machine], 0, -3, 1)",
    "tracing": "libc.ptrace(16, os.getppid(), None, None)",
    "being traced": "libc.ptrace(0, 0, None, None)",
    "memory of others": "libc.process_vm_readv(os.getppid(), room, 1, room, 1, 0)",
    "descriptors of others": "libc.syscall(438, libc.syscall(434, os.getppid(), 0), 0, 0)",
    "signals": "libc.kill(os.getppid(), 0)",
    "namespaces": "libc.unshare(0x10000000)",
    "owners": "libc.chown(b'.', 1, 1)",
}
"""These and further ones, which only root may make, or which Landlock refuses as well."""


@pytest.mark.parametrize("has_seccomp", [True, False])
def test_the_kernel_refuses_what_landlock_does_not_see(hand_in, monkeypatch, has_seccomp):
    if not has_seccomp:
        monkeypatch.setattr(processes, "_START", processes._START.replace("main(Connection", NO_SECCOMP))
    # A process that is traced by its parent stops at the next signal, such as that of a timer.
    tried = {name: call for name, call in REFUSED.items() if has_seccomp or name != "being traced"}
    attempts = "\n".join(f"found[{name!r}] = {call}" for name, call in tried.items())
    code = (
        "import struct\nlibc, machine, found = ctypes.CDLL(None, use_errno=True), platform.machine(), {}\n"
        "LOCK = struct.pack('=hhxxxxqqixxxx', 1, 0, 0, 1, 0)\n"
        "text = ctypes.create_string_buffer(8)\nroom = (ctypes.c_size_t * 2)(ctypes.addressof(text), 8)\n"
        f"{attempts}\nreturn found"
    )
    found = merge(hand_in(all_but("_merge", code, "import ctypes, os, platform")))
    if has_seccomp:
        assert found == dict.fromkeys(REFUSED, -1)
    else:
        assert {name for name in UNPRIVILEGED if found[name] == -1} == set()


def test_a_thread_shares_the_files_of_its_process(hand_in):
    """With files of its own, it could have as many of them open as a process. The kernel refuses it before it looks."""
    code = "libc = ctypes.CDLL(None, use_errno=True)\nnumber = {'x86_64': 56, 'aarch64': 220}[platform.machine()]\n"
    code += "return [libc.syscall(number, 0x10000, 0, 0, 0, 0), ctypes.get_errno()]"
    assert merge(hand_in(all_but("_merge", code, "import ctypes, platform"))) == [-1, errno.EPERM]


FILES_IN_MEMORY = """
for number in range(200):
    place = os.open("x", os.O_CREAT | os.O_RDWR)
    os.write(place, bytes(2**12))
    libc.mmap(None, 2**12, 3, 1, place, 0)
    os.unlink("x")
    os.close(place)
time.sleep(60)
"""


def test_files_that_were_removed_and_are_in_memory_count(hand_in):
    """The C library's mmap, other than Python's, needs no open file."""
    top = "import ctypes, os, time\nlibc = ctypes.CDLL(None)\nlibc.mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, "
    top += "*[ctypes.c_int] * 3, ctypes.c_long]"
    with pytest.raises(EndedProcess, match=f"_merge was stopped: .*{TOO_MANY_FILES}"):
        merge(hand_in(all_but("_merge", FILES_IN_MEMORY, top)))


def test_what_is_hidden_inside_a_readable_folder_is_not_readable_also_if_it_comes_later(hand_in):
    """Submissions, reports or hidden tests may lie in /usr or among Python's own folders."""
    with tempfile.TemporaryDirectory(dir=sysconfig.get_path("purelib")) as name:
        folder = Path(name)
        for file in ("open/text", "closed/text"):
            (folder / file).parent.mkdir()
            (folder / file).write_text(file, encoding="utf-8")
        code = (
            "found = []\nfor name in ('open/text', 'closed/text', 'later/text'):\n    try:\n"
            f"        found.append(open({name!r} + '/' + name).read())\n    except OSError:\n"
            "        found.append('')\nreturn found"
        )
        student = hand_in(all_but("_merge", code), folder / "closed", folder / "later")
        assert merge(student) == ["open/text", "", ""]
        (folder / "later").mkdir()
        (folder / "later" / "text").write_text("later", encoding="utf-8")
        assert merge(student) == ["open/text", "", ""]


CAPABILITIES = "return [line.split()[1] for line in open('/proc/self/status') if line.startswith('Cap')]"


def test_behind_the_wall_nobody_has_a_capability(hand_in):
    inherited, permitted, effective, *bounding_and_ambient = merge(hand_in(all_but("_merge", CAPABILITIES)))
    assert {inherited, permitted, effective} == {"0" * 16}
    assert os.geteuid() != 0 or set(bounding_and_ambient) == {"0" * 16}
