"""A submission has its own room of the course only: no other way leads to the answers, and each attempt is reported.

Here every route is taken in a sandbox process, without the suite. That it earns no points is part of test_session.py.
"""

import os
import re
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from g2c.common.errors import CourseError
from g2c.common.paths import REPOSITORY
from g2c.course.exercises import modules
from g2c.course.limits import OverLimit
from g2c.grading import folders, isolation
from g2c.grading.codec import OpaqueIterator
from g2c.grading.isolation import Isolation
from g2c.grading.policy import SandboxSettings
from g2c.grading.proxies import make_proxies
from g2c.grading.remote import Student
from g2c.grading.sandbox_process import empty_folder
from support.hostile import MODULE, ROUTES, all_but, by_route, solved
from support.permissions import let_everybody_enter

IDS, PAIR, NEW_ID = [1, 2, 3, 1, 2], (1, 2), 256
MERGED = [256, 3, 256]


@pytest.fixture(scope="module")
def session_folder(tmp_path_factory) -> Path:
    """The folder of a session as `g2c grade` makes it, with a zip of the answer key beside it."""
    folder = tmp_path_factory.mktemp("isolation")
    let_everybody_enter(folder)
    with zipfile.ZipFile(folder / "key.zip", "w") as archive:
        archive.write(MODULE.key_file, "bpe.py")
    session = folder / "session"
    session.mkdir(mode=0o711)
    folders.copy_for_runner(session / "runner", None)
    folders.copy_for_students(session / "students")
    return session


@pytest.fixture(scope="module")
def way(session_folder) -> Isolation:
    """The isolation that `g2c grade` would choose here."""

    def trial(candidate: Isolation) -> str:
        place = session_folder / f"trial-{candidate.name}"
        place.mkdir(mode=0o711)
        return folders.try_isolation(place, session_folder / "students", candidate)

    return isolation.choose(isolation.candidates(), trial)


@pytest.fixture
def hand_in(session_folder, way) -> Iterator[Callable[[str], Student]]:
    """A function that takes an exercise file and returns the student whose code it is."""
    started = []

    def run(code: str) -> Student:
        place = session_folder / f"submission-{len(list(session_folder.iterdir()))}"
        place.mkdir()
        files, hidden = {MODULE.file: code.encode()}, [REPOSITORY, session_folder]
        place.chmod(0o711)
        started.append(Student(folders.copy_for_student(place, session_folder / "students", files, hidden, way)))
        return started[-1]

    yield run
    for student in started:
        student.process.close()


def merge(student: Student) -> list[int]:
    """What the student's `_merge` returns."""
    return make_proxies(MODULE, student)["BPETokenizer"]()._merge(IDS, PAIR, NEW_ID)


def test_an_honest_submission_works_and_has_no_notes(hand_in):
    student = hand_in(solved())
    assert merge(student) == MERGED and student.notes == []


def test_every_submission_may_use_its_room_and_its_scratch_folder(hand_in):
    code = (
        "from g2c.common.text import token_text\nfrom g2c.tokenizer import show, chat\n"
        "from g2c.tokenizer.base import BOUNDARY\nfrom g2c.tokenizer.patterns import PATTERNS\n"
        "import collections, itertools, numpy, tokenizers\n"
        "open('notes.txt', 'w').write('scratch')\nreturn [256, 3, 256]"
    )
    student = hand_in(all_but("_merge", code))
    assert merge(student) == MERGED and student.notes == []


def test_an_iterator_that_the_code_returned_can_be_passed_to_it_again(hand_in):
    tokenizer = make_proxies(MODULE, hand_in(all_but("encode", "yield from text.encode()")))["BPETokenizer"]()
    ids = tokenizer.encode("ab")
    assert isinstance(ids, OpaqueIterator) and tokenizer.decode(ids) == "ab"
    with pytest.raises(TypeError, match="not iterable"):
        list(ids)


@pytest.mark.sample(6)
@pytest.mark.parametrize("name", ROUTES)
def test_a_route_to_the_answers_is_closed_and_reported(hand_in, session_folder, name):
    entry = by_route(name, session_folder.parent / "key.zip")
    student = hand_in(entry.code)
    with pytest.raises(NotImplementedError, match="no route"):
        merge(student)
    assert not entry.note or any(re.search(entry.note, note) for note in student.notes), student.notes


def test_the_routes_would_work_outside_the_sandbox(session_folder):
    """The routes prove something only if they find the key where nothing stops them."""
    for name in ("import_module", "exec_of_text", "spec_from_file", "zipimport", "pickle", "runpy_path"):
        space: dict = {}
        exec(by_route(name, session_folder.parent / "key.zip").code, space)
        assert space["BPETokenizer"]()._merge(IDS, PAIR, NEW_ID) == MERGED, name


def test_a_report_cannot_be_taken_back(hand_in):
    code = (
        "import gc, os\ntry:\n    import g2c.engine\nexcept ImportError:\n    pass\n"
        "for found in gc.get_objects():\n    if type(found).__name__ == 'AttemptReporter':\n"
        "        found.__dict__.update(reported=set(), _report=print)\n"
        "os._exit(0)"
    )
    student = hand_in(all_but("_merge", code))
    with pytest.raises(RuntimeError, match="ended its process"):
        merge(student)
    assert "The code tried to import g2c.engine." in student.notes


# --- limits that the code may switch off in its own process -----------------------------------------------------------

CONNECTION = (
    "import gc, os, signal, socket, struct, threading, time\n"
    "link = next(each for each in gc.get_objects() if isinstance(each, socket.socket))\n"
)
NO_LIMITS = "signal.setitimer(signal.ITIMER_REAL, 0)\nsignal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
TOO_MANY_FILES = "exceed 64 MB, or there are more than 5,000"
"""In the note on a process that was ended because of them."""
WRITE = (
    "def write(name):\n    for number in range(400):\n        with open(f'{name}{number}', 'wb') as file:\n"
    "            file.write(bytes(2**20))\n        time.sleep(0.002)\n"
)


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    ("top", "code", "what"),
    [
        (WRITE, "link.sendall(b'1')\nwrite('a')\ntime.sleep(60)", TOO_MANY_FILES),
        (WRITE, "threading.Thread(target=write, args=['a']).start()\nreturn [256, 3, 256]", TOO_MANY_FILES),
        (
            "",
            "link.sendall(b'1')\nfor number in range(6000):\n    os.mkdir(str(number))\ntime.sleep(60)",
            TOO_MANY_FILES,
        ),
        (
            "",
            "threading.stack_size(2**18)\nfor _ in range(300):\n"
            "    threading.Thread(target=time.sleep, args=[60]).start()\nreturn [256, 3, 256]",
            "more than 100 threads",
        ),
    ],
    ids=["files within an answer", "files between calls", "folders", "threads"],
)
def test_what_a_process_has_too_much_of_ends_it_at_any_time(hand_in, top, code, what):
    student = hand_in(all_but("_merge", code, CONNECTION + top))
    with pytest.raises(RuntimeError, match="_merge was stopped: ") as stopped:
        for _ in range(100):
            merge(student)
            time.sleep(0.1)
    assert what in str(stopped.value) and any(what in note for note in student.notes)
    files = list(student.process.settings.scratch.rglob("*"))
    assert sum(path.stat().st_size for path in files if path.is_file()) < 200 * 2**20


@pytest.mark.parametrize(
    ("top", "what"),
    [
        (
            "threading.stack_size(2**18)\nfor _ in range(110):\n"
            "    threading.Thread(target=time.sleep, args=[60], daemon=True).start()\n",
            "more than 100 threads",
        ),
        ("for number in range(5001):\n    os.mkdir(str(number))\n", TOO_MANY_FILES),
    ],
    ids=["threads", "folders"],
)
def test_what_a_process_has_too_much_of_from_the_start_ends_it_before_any_answer(hand_in, top, what):
    """However often it is started: otherwise the mark would depend on how soon somebody looks."""
    for _ in range(5):
        with pytest.raises(ImportError, match=f"was stopped when it was imported: .*{what}"):
            merge(hand_in(all_but("_merge", "return [256, 3, 256]", CONNECTION + top)))


@pytest.mark.skipif(sys.platform != "linux", reason="The profile for macOS names no system calls: run this on Linux.")
def test_no_room_on_the_disk_is_taken_behind_the_end_of_a_file(hand_in):
    code = (
        "import ctypes, platform\nnumber = {'x86_64': 285, 'aarch64': 47}[platform.machine()]\n"
        "place = os.open('file', os.O_CREAT | os.O_RDWR)\nkeep_size, size = 1, 2**30\n"
        "libc = ctypes.CDLL(None, use_errno=True)\n"
        "done = libc.syscall(number, place, keep_size, ctypes.c_long(0), ctypes.c_long(size))\n"
        "return [done, os.stat('file').st_blocks]"
    )
    assert merge(hand_in(all_but("_merge", code, CONNECTION))) == [-1, 0]


@pytest.mark.timeout(120)
def test_a_right_answer_that_comes_too_late_does_not_count(hand_in):
    code = "began = time.process_time()\nwhile time.process_time() < began + 5:\n    pass\nreturn [256, 3, 256]"
    student = hand_in(all_but("_merge", NO_LIMITS + code, CONNECTION))
    with pytest.raises(OverLimit, match="_merge did not return within"):
        merge(student)


@pytest.mark.timeout(120)
def test_an_answer_byte_by_byte_ends_with_the_time_of_the_call(hand_in):
    code = "link.settimeout(None)\nlink.sendall(struct.pack('<Q', 2**24))\nwhile True:\n    link.sendall(b'1')"
    student = hand_in(all_but("_merge", NO_LIMITS + code, CONNECTION))
    began = time.monotonic()
    with pytest.raises(OverLimit):
        merge(student)
    assert time.monotonic() - began < 30


@pytest.mark.parametrize(
    "answer",
    [
        "{'result': {'dict': [[1, 2], [3]]}}",
        "{'result': {'dict': [[[1]], [2]]}}",
        "{'result': 1, 'states': 5}",
        "{'argument': 'x'}",
        "{'result': [[[]] * 10, {}]}",
        "{'error': 5}",
        "[1]",
    ],
)
def test_a_function_whose_answers_cannot_be_read_is_soon_not_called_again(hand_in, answer):
    code = f"import msgpack\nmessage = msgpack.packb({answer})\nlink.settimeout(None)\n"
    code += "link.sendall(struct.pack('<Q', len(message)) + message)\nos._exit(0)"
    student = hand_in(all_but("_merge", code, CONNECTION))
    for _ in range(4):
        with pytest.raises(RuntimeError, match="cannot be read"):
            merge(student)
    with pytest.raises(RuntimeError, match="not called again"):
        merge(student)
    assert any("cannot be read" in note for note in student.notes)


def test_a_function_that_is_not_called_again_leaves_those_with_its_name_in_other_modules(hand_in):
    student = hand_in(all_but("_merge", "os._exit(0)", "import os"))
    for _ in range(5):
        with pytest.raises(RuntimeError):
            merge(student)
    with pytest.raises(NotImplementedError):
        make_proxies(modules()["04b"], student)["WordBPETokenizer"]()._merge(("a", "b"), ("a", "b"))


@pytest.mark.parametrize(
    "result",
    [
        "b'a' * (2**25 - 13)",
        "[0] * 1_999_995",
        "[" * 190 + "]" * 190,
    ],
    ids=["bytes", "values", "levels"],
)
def test_an_answer_within_the_bounds_passes_the_listener(hand_in, result):
    code = "import msgpack\nmessage = msgpack.packb({'result': RESULT})\nlink.settimeout(None)\n"
    code += "link.sendall(struct.pack('<Q', len(message)) + message)\ntime.sleep(60)"
    student = hand_in(all_but("_merge", code.replace("RESULT", result), CONNECTION))
    assert merge(student) == eval(result)


# --- the ways of isolation --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("platform", "programs", "user", "container", "names"),
    [
        ("linux", {"bwrap"}, 1000, False, ["bubblewrap", "landlock"]),
        ("linux", set(), 1000, False, ["landlock"]),
        ("linux", set(), 0, False, ["landlock as another user"]),
        ("linux", {"bwrap"}, 0, True, ["bubblewrap", "landlock as another user", "user as another user"]),
        ("linux", set(), 1000, True, ["landlock"]),
        ("darwin", {"sandbox-exec"}, 501, False, ["sandbox-exec"]),
        ("darwin", set(), 501, False, []),
    ],
)
def test_the_ways_that_a_system_may_have(monkeypatch, platform, programs, user, container, names):
    monkeypatch.setattr(isolation.sys, "platform", platform)
    monkeypatch.setattr(isolation.os, "geteuid", lambda: user)
    monkeypatch.setattr(isolation.shutil, "which", lambda name: name if name in programs else None)
    found = isolation.candidates(container=container)
    assert [f"{way.name}{' as another user' if way.own_user else ''}" for way in found] == names
    assert [way.user(1) for way in found] == [61_185 if way.own_user else None for way in found]


def test_the_first_way_that_passes_its_trial_is_chosen():
    ways = [Isolation("one"), Isolation("two"), Isolation("three")]
    assert isolation.choose(ways, lambda way: "") is ways[0]
    assert isolation.choose(ways, lambda way: "broken" if way.name == "one" else "") is ways[1]


def test_without_any_way_grading_is_refused_with_the_reasons():
    with pytest.raises(CourseError) as caught:
        isolation.choose([Isolation("one"), Isolation("two")], lambda way: f"no {way.name} here")
    assert "one: no one here; two: no two here" in str(caught.value) and "--unsafe" in str(caught.value)
    with pytest.raises(CourseError, match="Install bubblewrap"):
        isolation.choose([], lambda way: "")


def test_a_trial_notices_everything_that_is_not_isolated(session_folder):
    place = session_folder / "trial-none"
    place.mkdir()
    assert folders.try_isolation(place, session_folder / "students", isolation.NONE) == (
        "the code still reads hidden files and writes outside its folder and changes its copy of the course and "
        "starts processes and opens sockets and sends signals"
    )


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock and seccomp are in Linux alone: run this test there.")
def test_landlock_with_seccomp_passes_the_trial_where_another_user_can_run_python(session_folder):
    way = next(way for way in isolation.candidates() if way.name == "landlock")
    place = session_folder / "trial-again"
    place.mkdir(mode=0o711)
    problem = folders.try_isolation(place, session_folder / "students", way)
    if way.own_user and problem:
        pytest.skip(
            "As root, this way runs student code as another user, who cannot run this Python, because it lies where "
            "only root may enter, such as in root's home. Run the tests with a Python in /usr or /opt, or run them as "
            "an ordinary user."
        )
    assert problem == ""


@pytest.mark.skipif(
    sys.platform != "linux" or os.geteuid() != 0,
    reason="Only root on Linux runs student code as another user: run this test there, as root.",
)
def test_a_folder_that_the_student_s_user_may_not_enter_is_named(session_folder, tmp_path):
    way = next(way for way in isolation.candidates() if way.own_user)
    place = tmp_path / "closed"
    place.mkdir(mode=0o700)
    problem = folders.try_isolation(place, session_folder / "students", way)
    assert problem == f"other users may not enter {place}"


def settings_in(folder: Path, way: str) -> SandboxSettings:
    return SandboxSettings(folder / "course", folder / "scratch", (REPOSITORY,), (), (), isolation=way)


def test_bubblewrap_binds_python_and_the_copy_and_nothing_of_the_checkout(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [place for place in sys.path if place.startswith((sys.prefix, sys.base_prefix))])
    for name in ("course/g2c", "scratch"):
        (tmp_path / name).mkdir(parents=True)
    command = isolation.isolated_command(settings_in(tmp_path, "bubblewrap"), ["python"])
    binds = {command[at + 2]: option for at, option in enumerate(command) if option in ("--ro-bind", "--bind")}
    assert command[0] == "bwrap" and command[-2:] == ["--", "python"]
    assert {"--unshare-all", "--unshare-user", "--die-with-parent"} <= set(command)
    assert [path for path, option in binds.items() if option == "--bind"] == [str(tmp_path / "scratch")]
    assert binds[str(tmp_path / "course")] == "--ro-bind"
    for path in binds:
        inside = Path(path).is_relative_to(REPOSITORY)
        assert not REPOSITORY.is_relative_to(path) and (not inside or Path(path).is_relative_to(sys.prefix)), path


def test_the_profile_for_mac_os_denies_by_default_and_writing_but_in_the_scratch_folder(tmp_path):
    for name in ("course/g2c", 'scratch "1"'):
        (tmp_path / name).mkdir(parents=True)
    settings = replace(settings_in(tmp_path, "sandbox-exec"), scratch=tmp_path / 'scratch "1"')
    command = isolation.isolated_command(settings, ["python"])
    assert command[:2] == ["sandbox-exec", "-p"] and command[3:] == ["python"]
    profile = command[2]
    assert profile.startswith("(version 1)\n(deny default)\n")
    writable = [line for line in profile.splitlines() if "allow file-write*" in line]
    assert writable == [
        '(allow file-write* (subpath "/dev/null"))',
        f'(allow file-write* (subpath "{tmp_path}/scratch \\"1\\""))',
    ]
    assert f'(deny file-read* file-write* (subpath "{REPOSITORY}"))' in profile
    assert "network" not in profile and "process-fork" not in profile


def test_a_scratch_folder_is_emptied_however_deep_or_closed_its_folders_are(tmp_path):
    code = (
        "import os\nos.makedirs('a/b')\nopen('a/b/c', 'w').close()\nos.symlink('/', 'link')\nos.mkdir('closed', 0)\n"
        "os.chmod('a/b', 0)\nfor _ in range(3000):\n    os.mkdir('x' * 20)\n    os.chdir('x' * 20)"
    )
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, check=True)
    empty_folder(tmp_path)
    assert list(tmp_path.iterdir()) == []


RESTRICTED = """
import os, sys
from g2c.grading.landlock import restrict_files
from g2c.grading.policy import Access
folder = os.path.realpath(sys.argv[1])
python = {os.path.realpath(path): Access.READ for path in (sys.prefix, sys.base_prefix, "/usr", "/lib")}
rules = {folder: Access.READ, f"{folder}/inner/hidden": Access.NONE, f"{folder}/scratch": Access.WRITE}
print("restricted" if restrict_files(python | rules) else "no Landlock")
for name in ("top", "inner/beside", "inner/hidden/key", "../outside"):
    try:
        print(name, open(f"{folder}/{name}").read())
    except OSError as error:
        print(name, type(error).__name__)
for name in ("scratch/new", "new"):
    try:
        print(name, open(f"{folder}/{name}", "w").write(""))
    except OSError as error:
        print(name, type(error).__name__)
print(sorted(os.listdir(f"{folder}/inner")))
try:
    os.posix_spawn("/bin/true", ["true"], {})
except OSError as error:
    print("spawn", type(error).__name__)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is in Linux alone: run this test there.")
def test_the_kernel_keeps_hidden_folders_inside_readable_ones(tmp_path):
    folder = tmp_path / "folder"
    (folder / "inner" / "hidden").mkdir(parents=True)
    (folder / "scratch").mkdir()
    for path in (folder / "top", folder / "inner/beside", folder / "inner/hidden/key", tmp_path / "outside"):
        path.write_text("content", encoding="utf-8")
    command = [sys.executable, "-c", RESTRICTED, str(folder)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60)
    if "no Landlock" in done.stdout:
        pytest.skip("This kernel has no Landlock: run this test on Linux 5.13 or later, with Landlock enabled.")
    assert done.stdout.splitlines() == [
        "restricted",
        "top content",
        "inner/beside content",
        "inner/hidden/key PermissionError",
        "../outside PermissionError",
        "scratch/new 0",
        "new PermissionError",
        "['beside', 'hidden']",
        "spawn PermissionError",
    ], done.stderr
