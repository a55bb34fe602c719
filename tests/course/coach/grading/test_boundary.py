"""The pupil's process: what crosses to it and back, what its code may use, and what ends it.

Here single calls are made, without a suite. That attacks earn no points is part of test_hostile.py.
"""

import os
import resource
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgpack
import pytest

from coach.commands.doctor import check_wall
from coach.common.errors import CourseError
from coach.common.paths import REPOSITORY
from coach.exercises import Module, modules
from coach.grading import boundary, pupil, values, wall
from coach.grading.boundary import Student, make_proxies
from coach.grading.folders import copy_for_student, make_template
from coach.source import key_code
from coach.testing.limits import EndedProcess, OverLimit
from support.exercise_files import MODULE, all_but, solved, with_body

IDS, PAIR, NEW_ID = [1, 2, 3, 1, 2], (1, 2), 256
MERGED = [256, 3, 256]


@pytest.fixture(scope="module")
def template(tmp_path_factory) -> Path:
    return make_template(tmp_path_factory.mktemp("boundary") / "template", {})


@pytest.fixture
def hand_in(template) -> Iterator[Callable[..., Student]]:
    """A function that takes an exercise file, and returns the student whose code it is."""
    started, folder = [], Path(tempfile.mkdtemp())
    # The process may have another user, who cannot reach pytest's folders.
    folder.chmod(0o711)

    def run(code: str, module: Module = MODULE) -> Student:
        place = folder / str(len(started))
        place.mkdir()
        copy = copy_for_student(place, template, {module.exercise_path: code.encode()})
        started.append(Student(copy, wall.require_wall(trust=True)))
        return started[-1]

    yield run
    for student in started:
        student.close()
    shutil.rmtree(folder)


def a_tokenizer(student: Student) -> Any:
    return make_proxies(MODULE, student)["BPETokenizer"]()


def merge(student: Student) -> list[int]:
    """What the student's `_merge` returns."""
    return a_tokenizer(student)._merge(IDS, PAIR, NEW_ID)


# --- what crosses -----------------------------------------------------------------------------------------------------


def test_given_code_calls_the_student_s_with_the_state_of_the_object_and_sees_what_it_changes(hand_in):
    tokenizer = a_tokenizer(hand_in(solved()))
    tokenizer.merges = {(97, 98): 256}
    assert tokenizer.encode("ab") == [256], "the first call has the state of this moment"
    tokenizer.merges = merges = {}
    assert tokenizer.encode("ab") == [97, 98], "and so has the next one"
    assert tokenizer.train("abababab", 258) == [257, 257]
    assert tokenizer.merges == {(97, 98): 256, (256, 256): 257} and tokenizer.vocab[257] == b"abab"
    assert list(tokenizer.merges) == [(97, 98), (256, 256)] and tokenizer.encode("abab") == [257]
    assert merges == {}, "train has begun with another dictionary"


def test_what_the_code_adds_to_an_object_stays_with_it_in_every_process(hand_in):
    code = """
if not hasattr(self, "seen"):
    self.seen, self.kept = [], Kept()
self.seen.append(text)
self.kept.count += 1
return [len(self.seen), self.kept.count]"""
    student = hand_in(all_but("encode", code, "class Kept:\n    count = 0\n"))
    BPETokenizer = make_proxies(MODULE, student)["BPETokenizer"]
    tokenizer, other = BPETokenizer(), BPETokenizer()
    assert [tokenizer.encode("a"), tokenizer.encode("b")] == [[1, 1], [2, 2]]
    student.close()
    assert [tokenizer.encode("c"), other.encode("d")] == [[3, 3], [1, 1]]
    assert not hasattr(tokenizer, "seen"), "given code knows nothing of it"


def test_the_order_of_a_set_is_the_same_in_every_process(hand_in):
    """So a submission gets the same points each time."""
    student = hand_in(all_but("encode", 'return [*map(ord, {*"abcdefghij"})]'))
    orders = []
    for _ in range(3):
        orders.append(a_tokenizer(student).encode(""))
        student.close()
    assert orders[0] == orders[1] == orders[2]


def test_a_constructor_of_the_student_s_is_used(hand_in):
    init = "\n    def __init__(self, *args):\n        super().__init__(*args)\n        self.own = 5\n"
    tokenizer = a_tokenizer(hand_in(all_but("encode", "self.own += 1\nreturn [self.own]") + init))
    assert [tokenizer.encode(""), tokenizer.encode("")] == [[6], [7]]


def test_changed_arguments_change_wherever_they_are_named(hand_in):
    module = modules()["04e"]
    text = module.exercise_file.read_text(encoding="utf-8") + key_code(module, module.exercises)
    proxies = make_proxies(module, hand_in(text, module))
    tables = proxies["build_tables"]({b"abc": 2})
    counts, words = tables.pair_counts, tables.words
    proxies["apply_merge"](tables, (97, 98), 256)
    assert (counts, words) == ({(256, 99): 2}, [[256, 99]])


def test_a_result_that_is_an_argument_is_the_same_object(hand_in):
    ids = [1, 2]
    assert a_tokenizer(hand_in(all_but("_merge", "ids.append(3)\nreturn ids")))._merge(ids, PAIR, 1) is ids
    assert ids == [1, 2, 3]


def test_the_first_items_of_an_iterator_come_with_it(hand_in):
    tokenizer = a_tokenizer(
        hand_in(all_but("encode", "import itertools\nyield from range(int(text)) if text else itertools.count()"))
    )
    found = tokenizer.encode("3")
    assert type(found).__name__ == "generator" and found != [0, 1, 2] and [*found] == [0, 1, 2]
    endless = tokenizer.encode("")
    assert next(endless) == 0
    with pytest.raises(TypeError, match="only by the code that made it"):
        list(endless)


def test_an_error_has_the_class_that_the_code_gave_it_and_not_one_of_the_same_name(hand_in):
    code = "class ValueError(Exception):\n    pass\n\n\nclass LookupError(KeyError):\n    pass\n"
    student = hand_in(all_but("_merge", "raise ValueError('own') if ids else LookupError('own')", code))
    with pytest.raises(Exception, match="own") as caught:
        merge(student)
    assert type(caught.value).__name__ == "ValueError" and not isinstance(caught.value, ValueError)
    with pytest.raises(KeyError, match="own"):
        a_tokenizer(student)._merge([], PAIR, NEW_ID)


def test_state_that_given_code_cannot_use_is_an_error_and_no_end(hand_in):
    tokenizer = a_tokenizer(hand_in(all_but("encode", "self.byte_ids = b'a'\nself.merges = 5\nreturn []")))
    assert tokenizer.encode("x") == [] and tokenizer.byte_ids == b"a" and tokenizer.merges == 5
    with pytest.raises(ValueError, match="256"):
        list(tokenizer._pieces("x"))


def test_the_key_s_code_at_the_end_of_a_file_takes_the_place_of_the_student_s(hand_in):
    given = [each for each in MODULE.exercises if each.name in ("_merge", "train_step")]
    wrong = with_body(with_body(solved("_get_pair_counts"), "_merge", "        return 5"), "train_step", "        pass")
    for code in (wrong, wrong.replace("return 5", "return (5")):
        tokenizer = a_tokenizer(hand_in(code + key_code(MODULE, given)))
        assert tokenizer._merge(IDS, PAIR, NEW_ID) == MERGED
        assert tokenizer.train_step([97, 98, 97, 98], 256) == ([256, 256], (97, 98), 2)


# --- what is left out and used ----------------------------------------------------------------------------------------


def test_every_submission_may_use_its_room_and_its_scratch_folder(hand_in):
    code = (
        "from g2c.common.text import token_text\nfrom g2c.tokenizer import show\n"
        "from g2c.tokenizer.base import BOUNDARY\nfrom g2c.tokenizer.patterns import PATTERNS\n"
        "import collections, itertools, numpy, tokenizers\n"
        "open('notes.txt', 'w').write('scratch')\nreturn [256, 3, 256]"
    )
    student = hand_in(all_but("_merge", code))
    assert merge(student) == MERGED and student.notes == []


def test_a_note_says_that_grading_forbids_other_files(hand_in):
    student = hand_in(all_but("_merge", "return open('/nowhere/notes.txt')"))
    with pytest.raises(FileNotFoundError):
        merge(student)
    assert student.notes[0].startswith("Grading forbids other files, programs and the network")


# --- what is not an answer --------------------------------------------------------------------------------------------


def answered(**answer: Any) -> Student:
    """A student whose process has written this answer to a call, in place of `Pupil`. hostile.py has code that does."""
    message = msgpack.packb({"ending": {}, "result": 1, "changed": {}} | answer if answer else {})
    student = Student(REPOSITORY, wall.wall_here())
    student.process = SimpleNamespace(imported={MODULE.import_name}, exchange=lambda *_: message, stop=lambda: 0)
    return student


@pytest.mark.parametrize(("file", "line"), [("g2c/tokenizer/base.py", 30), ("g2c/tokenizer/../solutions/bpe.py", 1)])
def test_an_error_comes_from_no_file_but_those_beside_the_exercises(file, line):
    """Of any file that a traceback names, a report could show lines: of the hidden tests, of the answer key."""
    place = {"function": "f", "file": file, "line": 30}
    with pytest.raises(KeyError, match="odd") as caught:
        merge(answered(ending={"error": "KeyError", "base": "KeyError", "text": "odd", "place": place}))
    last = caught.traceback[-1]
    place = file if line == 30 else MODULE.exercise_path
    assert (last.path, last.lineno + 1) == (REPOSITORY / place, line)


@pytest.mark.parametrize(
    "odd",
    [
        {},
        {"ending": {"seconds": -5}},
        {"ending": {"argument": 9}},
        {"ending": {"error": ["kinds"]}},
        {"changed": {9: 5}},
        {"result": msgpack.ExtType(values.ARRAY, msgpack.packb(["|O", [1], b"12345678"]))},
        {"result": msgpack.ExtType(55, b"\xc0")},
    ],
)
def test_an_answer_that_cannot_be_read_is_an_error_and_a_note(odd):
    student = answered(**odd)
    with pytest.raises(EndedProcess, match="cannot be read"):
        merge(student)
    assert student.notes == ["_merge was stopped: its answer cannot be read."] and student.process is None


# --- what ends a call -------------------------------------------------------------------------------------------------


def test_a_function_that_ends_its_process_is_not_called_forever_and_others_go_on(hand_in, monkeypatch):
    monkeypatch.setattr(boundary, "MAX_FAILURES", 2)
    student = hand_in(all_but("_merge", "import os\nos._exit(0)"))
    for _ in range(3):
        with pytest.raises(EndedProcess, match="_merge ended its process"):
            merge(student)
    assert student.process is None, "the third call was not made"
    assert a_tokenizer(student).encode("") == []
    with pytest.raises(NotImplementedError):
        make_proxies(modules()["04b"], student)["WordBPETokenizer"]()._next_merge(("a", "b"))


@pytest.mark.timeout(120)
@pytest.mark.parametrize(
    "body", ["while True: pass", "import time\ntime.sleep(100)", "import itertools\nsum(itertools.count())"]
)
def test_a_call_that_does_not_return_is_ended_and_the_next_one_has_less_time(hand_in, monkeypatch, body):
    monkeypatch.setattr(boundary, "LIMITS", replace(boundary.LIMITS, seconds=0.5))
    student = hand_in(all_but("_merge", body))
    for _ in range(2):
        with pytest.raises(OverLimit, match="_merge did not return"):
            merge(student)
        student.used = 0.0
    assert a_tokenizer(student).encode("") == []


def test_the_calls_of_a_test_share_its_time(hand_in):
    student = hand_in(solved())
    assert merge(student) == MERGED and 0 < student.used < 1
    student.used = boundary.LIMITS.seconds
    with pytest.raises(OverLimit, match="_merge, called repeatedly"):
        merge(student)


def test_a_process_that_does_not_start_is_no_fault_of_the_code(monkeypatch):
    monkeypatch.setattr(os, "_exit", sys.exit)
    with pytest.raises(SystemExit, match=str(boundary.NOT_STARTED)):
        boundary.PupilProcess(REPOSITORY, SimpleNamespace(start=lambda *_: None))


def test_a_system_that_refuses_to_limit_memory_keeps_no_process_from_its_work(monkeypatch):
    limited = []

    def set_limit(kind, limits):
        if kind == resource.RLIMIT_AS:
            raise ValueError("current limit exceeds maximum limit")  # As on macOS.
        limited.append(kind)

    monkeypatch.setattr(resource, "setrlimit", set_limit)
    pupil.limit_this_process()
    assert {*limited} == {resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_CORE}


# --- the wall ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def clear() -> Iterator[None]:
    """Have the wall of this machine looked for anew, before the test and after it."""
    for cached in (wall.wall_here, wall._box):
        cached.cache_clear()
    yield
    for cached in (wall.wall_here, wall._box):
        cached.cache_clear()


def test_without_a_wall_grading_is_refused_with_the_ways_out(monkeypatch, clear):
    monkeypatch.setenv("PATH", "/nowhere")
    monkeypatch.setattr(wall, "CONTAINERS", ())
    with pytest.raises(CourseError) as caught:
        wall.require_wall(trust=False)
    for words in ("apt install bubblewrap", "docs/grading.md", "--trust", "answer key"):
        assert words in str(caught.value)
    sentence = wall.require_wall(trust=True).sentence
    assert "use the network and change marks; bubblewrap is not installed" in sentence
    assert f"ran under Python {sys.version_info.major}.{sys.version_info.minor}, and" in sentence
    [finding] = check_wall()
    assert finding.text.endswith(": none") and "bubblewrap" in finding.remedy


def test_bubblewrap_that_may_not_separate_is_said_so(monkeypatch, tmp_path, clear):
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    monkeypatch.setattr(wall, "CONTAINERS", ("/",))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    for runs, name in (True, "container"), (False, "none"):
        wall.wall_here.cache_clear()
        monkeypatch.setattr(wall, "_runs_as", lambda user, runs=runs: runs)
        found = wall.wall_here()
        assert found.name == name, "a user of its own is what keeps the code from the marks"
        assert "bubblewrap is installed, but not permitted to isolate processes here" in found.sentence
        assert "No permissions to create new namespace" in found.sentence


def test_in_a_container_two_submissions_have_two_users(monkeypatch, tmp_path):
    users = []
    monkeypatch.setattr(wall.subprocess, "Popen", lambda *_, user, **__: users.append(user))
    monkeypatch.setattr(os, "chown", lambda *_: None)
    for process in (7, 8):
        monkeypatch.setattr(os, "getpid", lambda process=process: process)
        wall.Wall("container", "", wall.NOBODY).start([], tmp_path / "course", 0)
    assert users[0] != users[1] and min(users) > 1000


def test_of_the_folders_in_which_python_looks_bubblewrap_shows_those_of_packages(
    monkeypatch, tmp_path, bubblewrap, clear
):
    packages = tmp_path / "site-packages"
    packages.mkdir()
    # As with `python -m g2c` in the folder of a class.
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path, str(packages)])
    assert str(packages) in wall._box()
    assert str(tmp_path) not in wall._box()


def test_bubblewrap_shows_a_python_that_is_a_link_to_a_link(monkeypatch, tmp_path, bubblewrap, clear):
    for name, target in (("a", tmp_path / "b" / "python"), ("b", os.path.realpath(sys.executable))):
        (tmp_path / name).mkdir()
        (tmp_path / name / "python").symlink_to(target)
    monkeypatch.setattr(sys, "prefix", str(tmp_path / "a"))
    monkeypatch.setattr(sys, "executable", str(tmp_path / "a" / "python"))
    assert wall.wall_here().name == "bubblewrap"
