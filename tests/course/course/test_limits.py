"""Whatever student code does, the run goes on, and the report says which function was to blame."""

import json
import os
import re
import resource
import signal
import subprocess
import sys
import textwrap
import time
from pathlib import Path
from types import SimpleNamespace, TracebackType

import pytest

from g2c.common.paths import REPOSITORY
from g2c.course.limits import Guard, Limits, OverLimit, _line_at, with_lines
from g2c.course.teaching import call, limit_report
from support.submissions import busy, run

pytestmark = pytest.mark.timeout(120)

QUICK = Limits(seconds=0.3, seconds_again=0.1, megabytes=100)


STUDENT_FILE = "a_students_file.py"
STUDENT_CODE = """
import time
from itertools import count


def endless():
    while True:
        pass


def swallows_exceptions():
    while True:
        try:
            sum(range(10))
        except Exception:
            pass


def swallows_everything():
    while True:
        try:
            sum(range(10))
        except:
            pass


def swallows_everything_twice():
    while True:
        try:
            try:
                time.sleep(0.01)
            except:
                pass
        except BaseException:
            continue


def sleeps():
    time.sleep(3600)


def counts_to_infinity():
    for number in count():
        number + 1


def short():
    return sum(range(2000))


def calls_it_forever():
    while True:
        short()


def calls_endless():
    return endless()


def endless_generator():
    while True:
        yield 1
        while True:
            pass


def counts_a_generator():
    return sum(endless_generator())


class Endless:
    def __del__(self):
        while True:
            pass

    def __eq__(self, other):
        while True:
            pass


def deletes():
    endless = Endless()
    del endless


def compares():
    endless = Endless()
    endless.__class__ = type("Comparing", (), {"__eq__": Endless.__eq__})
    return endless in [1]


def continues():
    number = 0
    while True:
        for number in (1, 2):
            if not number:
                continue
        if number:
            continue
        break


def piles_up():
    numbers = []
    while True:
        numbers.append(1_000_000 + len(numbers))


def piles_up_in_one_call():
    return list(count())
"""
STUDENT: dict = {}
exec(compile(STUDENT_CODE, STUDENT_FILE, "exec"), STUDENT)


@pytest.fixture
def guard() -> Guard:
    """Limits of a fraction of a second."""
    return Guard(lambda name: name == STUDENT_FILE, lambda name: name == __file__, QUICK)


def ended(guard: Guard, name: str) -> OverLimit:
    """Call a function of STUDENT_CODE, and return what it was ended with."""
    with pytest.raises(OverLimit) as caught, guard.watch():
        STUDENT[name]()
    return caught.value


# --- loops that never end ---------------------------------------------------------------------------------------------


@pytest.mark.sample(3)
@pytest.mark.parametrize(
    "name",
    [
        "endless",
        "swallows_exceptions",
        "swallows_everything",
        "swallows_everything_twice",
        "sleeps",
        "counts_to_infinity",
    ],
)
def test_a_loop_that_never_ends_is_ended(guard, name):
    began = time.monotonic()
    limit = ended(guard, name)
    assert limit.function == name
    assert not limit.megabytes and not limit.returns
    assert f"{name} did not return within" in str(limit)
    assert time.monotonic() - began < 5


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("counts_a_generator", "endless_generator"),
        ("deletes", "__del__"),
        ("compares", "__eq__"),
        ("continues", "continues"),
    ],
)
def test_a_loop_that_never_ends_is_ended_wherever_it_is(guard, name, function):
    assert ended(guard, name).function == function


def test_every_entry_of_a_traceback_has_a_line():
    """On some versions of Python, the jump of `continue` belongs to no line, and a signal may arrive there."""
    lines = [(0, 2, None), (2, 4, 5), (4, 6, None), (6, 8, 7)]
    code = SimpleNamespace(co_firstlineno=3, co_lines=lambda: iter(lines))
    assert [_line_at(code, instruction) for instruction in (0, 2, 4, 6, 100)] == [3, 5, 5, 7, 7]
    frame = sys._getframe()
    place, line = frame.f_lasti, frame.f_lineno
    assert with_lines(TracebackType(None, frame, place, line)).tb_lineno == line
    assert with_lines(None) is None


def test_the_function_that_stays_is_to_blame_and_not_what_it_calls(guard):
    guard.limits = Limits(seconds=0.6)
    assert ended(guard, "calls_it_forever").function == "calls_it_forever"


def test_the_innermost_of_the_functions_that_stay_is_to_blame(guard):
    guard.limits = Limits(seconds=0.6)
    assert ended(guard, "calls_endless").function == "endless"


def test_many_short_calls_are_said_to_be_many(guard):
    with pytest.raises(OverLimit, match="called repeatedly") as caught, guard.watch():
        while True:
            STUDENT["short"]()
    assert caught.value.returns


@pytest.mark.whole
def test_a_function_that_hit_the_limit_is_ended_sooner_the_next_time(guard):
    guard.limits = Limits(seconds=1.5, seconds_again=0.2)
    assert ended(guard, "endless").seconds > 1.4
    assert ended(guard, "endless").seconds < 1.4
    assert ended(guard, "counts_to_infinity").seconds > 1.4


def test_a_single_call_has_an_end_however_busy_the_machine_is(guard):
    guard.limits = Limits(seconds=60, longest_call=0.5)
    limit = ended(guard, "endless")
    assert limit.function == "endless" and limit.seconds < 30


def test_code_that_ends_is_left_alone(guard):
    with guard.watch():
        assert STUDENT["short"]() == 1_999_000


COMPILER = """
def _compile(seconds):
    end = process_time() + seconds
    while process_time() < end:
        pass
"""


@pytest.mark.whole
def test_the_time_in_which_the_engine_is_compiled_counts_for_nobody(guard):
    compiler = {"__name__": "g2c.engine.compiled", "process_time": time.process_time}
    exec(COMPILER, compiler)
    assert "def _compile(" in (REPOSITORY / "g2c" / "engine" / "compiled.py").read_text(encoding="utf-8")
    with guard.watch():
        compiler["_compile"](4 * QUICK.seconds)
    with pytest.raises(OverLimit, match="endless"), guard.watch():
        compiler["_compile"](2 * QUICK.seconds)
        STUDENT["endless"]()


# --- memory -----------------------------------------------------------------------------------------------------------


def test_a_list_that_grows_is_ended_and_its_memory_freed(guard):
    guard.limits = Limits(seconds=5, megabytes=100)
    before = guard.process.memory_info().rss
    limit = ended(guard, "piles_up")
    assert limit.function == "piles_up"
    assert limit.megabytes > 100
    assert "MB of memory" in str(limit)
    assert guard.process.memory_info().rss - before < 60 * 2**20


@pytest.mark.skipif(sys.platform != "linux", reason="no such limit on macOS")
def test_a_list_that_grows_in_one_call_gets_a_memory_error(guard):
    guard.limits = Limits(seconds=5, megabytes=100)
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with pytest.raises(MemoryError), guard.watch():
        STUDENT["piles_up_in_one_call"]()
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


# --- good manners -----------------------------------------------------------------------------------------------------


def test_another_timer_runs_on_afterwards(guard):
    rang = []
    old = signal.signal(signal.SIGALRM, lambda *_: rang.append(time.monotonic()))
    try:
        began = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, 0.3)
        with guard.watch():
            time.sleep(0.1)
        assert not rang
        time.sleep(0.4)
        assert len(rang) == 1 and rang[0] - began >= 0.29
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def test_nothing_is_raised_into_code_that_is_neither_a_students_nor_a_test(guard):
    guard.is_student_file = guard.is_test_file = lambda name: False
    with guard.watch():
        end = time.monotonic() + 0.8
        while time.monotonic() < end:
            pass


# --- whole suites -----------------------------------------------------------------------------------------------------


def submission(folder: Path, name: str, body: str) -> Path:
    """A file like those of the mistake bank, with this method in place of the answer key's."""
    path = folder / "04" / f"{name}.py"
    path.parent.mkdir(exist_ok=True)
    method = textwrap.indent(textwrap.dedent(body), "    ")
    path.write_text(
        f"import itertools, sys\nfrom g2c.solutions import bpe\n\n\nclass BPETokenizer(bpe.BPETokenizer):\n{method}",
        encoding="utf-8",
    )
    return path


@pytest.mark.whole
def test_an_endless_encode_leaves_every_other_test_its_result(tmp_path):
    path = submission(tmp_path, "endless", "def encode(self, text):\n    while True: pass\n")
    began = time.monotonic()
    tests = run([path])[path]
    assert time.monotonic() - began < 60 * busy()
    assert max(test["seconds"] for test in tests) < 10 * busy()
    failed = [test for test in tests if test["outcome"] == "failed"]
    assert {test.get("mistake") for test in failed} == {"encode never returns"}
    groups = {test["test"].split("::")[1] for test in failed}
    assert not groups & {"TestConstruction", "TestPairCounts", "TestMerge", "TestTrainStep", "TestTrain", "TestDecode"}
    assert len(tests) > 150


def test_the_report_says_what_was_called_and_where_it_was_stopped(guard):
    with pytest.raises(OverLimit) as caught, guard.watch():
        call(STUDENT["endless"])
    report = str(limit_report(caught.value)).splitlines()
    assert report[0] == "Called:     endless()"
    assert re.fullmatch(
        r"Came back:  nothing: endless did not return within \d\.\d seconds and was stopped in .*, line \d+", report[1]
    ), report
    assert report[-1] == "Read:       docs/04-pitfalls.md#pitfall-endless-encode"


@pytest.mark.whole
def test_the_report_of_an_endless_call(tmp_path):
    path = submission(tmp_path, "endless_merge", "def _merge(self, ids, pair, new_id):\n    while True: pass\n")
    first = next(test for test in run([path], "--first")[path] if test["outcome"] == "failed")
    lines = first["message"].splitlines()
    assert lines[0] == "Called:     tokenizer._merge([5, 1, 2, 7, 1, 2], (1, 2), 99)"
    assert lines[2].startswith("Came back:  nothing: _merge did not return within ")
    assert lines[2].endswith("endless_merge.py, line 7")
    assert lines[-1] == "Read:       docs/04-pitfalls.md#pitfall-endless-encode"


@pytest.mark.whole
@pytest.mark.parametrize(
    ("name", "body", "mistake"),
    [
        ("grows", "def encode(self, text):\n    ids = []\n    while True: ids.append(ids)\n", "encode never returns"),
        (
            "recursion",
            "def encode(self, text):\n    return self.encode(text)\n",
            "a call that calls itself without end",
        ),
        ("exits", "def encode(self, text):\n    sys.exit(0)\n", "SystemExit for arguments that are allowed"),
        ("generator_exit", "def encode(self, text):\n    raise GeneratorExit\n", None),
    ],
    ids=lambda value: value if str(value).isidentifier() else "",
)
def test_the_run_goes_on_after(tmp_path, name, body, mistake):
    path = submission(tmp_path, name, body)
    tests = run([path], "-k", "TestDecode or learned_first")[path]
    assert len(tests) > 10
    failed = [test for test in tests if test["outcome"] == "failed"]
    assert [test["test"].split("::")[-1] for test in failed] == ["test_what_was_learned_first_goes_first"]
    assert failed[0].get("mistake") == mistake


@pytest.mark.whole
def test_a_loop_that_no_interrupt_reaches_ends_the_process_and_shows_where(tmp_path):
    path = submission(tmp_path, "deaf", "def decode(self, ids):\n    return sum(itertools.repeat(0))\n")
    runner = Path(__file__).resolve().parents[1] / "support" / "run_submissions.py"
    command = [sys.executable, str(runner), "--first", str(path)]
    began = time.monotonic()
    done = subprocess.run(command, cwd=REPOSITORY, capture_output=True, text=True, timeout=60, env=dict(os.environ))
    assert done.returncode != 0
    assert "deaf.py" in done.stderr and "in decode" in done.stderr
    assert time.monotonic() - began < 40


def test_a_report_is_complete_up_to_a_process_that_dies(tmp_path):
    report = tmp_path / "report.jsonl"
    suite = tmp_path / "test_dies.py"
    suite.write_text(
        "import os\ndef test_one(): pass\ndef test_two(): os._exit(3)\ndef test_three(): pass\n", encoding="utf-8"
    )
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-p",
        "g2c.course.pytest_plugin",
        str(suite),
        f"--course-report={report}",
    ]
    subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=60)
    collected, *records = [json.loads(line) for line in report.read_text(encoding="utf-8").splitlines()]
    assert collected == {"collected": {"": 3}}
    assert [("started" in record, record.get("outcome")) for record in records] == [
        (True, None),
        (False, "passed"),
        (True, None),
    ]
