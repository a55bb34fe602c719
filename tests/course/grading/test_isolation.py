"""A submission has its own room of the course only: no other way leads to the answers, and each attempt is reported.

Here every route is taken in a sandbox process, without the suite. That it earns no points is part of test_session.py.
"""

import re
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from g2c.common.paths import REPOSITORY
from g2c.grading import folders, isolation
from g2c.grading.isolation import Isolation
from g2c.grading.proxies import make_proxies
from g2c.grading.remote import Student
from support.hostile import MODULE, ROUTES, all_but, by_route, solved

IDS, PAIR, NEW_ID = [1, 2, 3, 1, 2], (1, 2), 256
MERGED = [256, 3, 256]
FAST = {
    "import_statement",
    "import_module",
    "dunder_import",
    "engine_helper",
    "given_training",
    "exec_of_text",
    "spec_from_file",
    "runpy_path",
    "package_path",
    "ctypes",
    "subprocess",
    "zipimport",
    "pickle",
    "environ",
}
"""Routes that every check takes. The others are for `./check.sh --all`."""


@pytest.fixture(scope="module")
def session_folder(tmp_path_factory) -> Path:
    """The folder of a session as `g2c grade` makes it, with a zip of the answer key beside it."""
    folder = tmp_path_factory.mktemp("isolation")
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
        place.mkdir()
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


@pytest.mark.parametrize(
    "name", [name if name in FAST else pytest.param(name, marks=pytest.mark.whole) for name in ROUTES]
)
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


@pytest.mark.skipif(sys.platform != "linux", reason="Landlock is part of Linux")
def test_the_kernel_keeps_hidden_folders_inside_readable_ones(tmp_path):
    folder = tmp_path / "folder"
    (folder / "inner" / "hidden").mkdir(parents=True)
    (folder / "scratch").mkdir()
    for path in (folder / "top", folder / "inner/beside", folder / "inner/hidden/key", tmp_path / "outside"):
        path.write_text("content", encoding="utf-8")
    command = [sys.executable, "-c", RESTRICTED, str(folder)]
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60)
    if "no Landlock" in done.stdout:
        pytest.skip("this kernel has no Landlock")
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
