"""Whatever student code does, the run goes on, and the report says which function was to blame."""

import re
import resource
import signal
import subprocess
import sys
import time

import pytest

from coach.teaching import call
from coach.testing.limits import Guard, Limits, OverLimit
from support.scarce import within

pytestmark = pytest.mark.timeout(60)

STUDENT_FILE = "a_students_file.py"
STUDENT_CODE = """
import time
from itertools import count, repeat

def endless():
    while True: pass

def swallows_everything():
    while True:
        try:
            try: time.sleep(0.01)
            except: pass
        except BaseException: continue

def swallows_it_once():
    try: endless()
    except: endless()

def sleeps(seconds=3600):
    time.sleep(seconds)

def short():
    return sum(range(2000))

def calls_it_forever():
    while True: short()

def endless_generator():
    yield 1
    while True: pass

def counts_a_generator():
    return sum(endless_generator())

class Cleans:
    def __del__(self):
        for _ in range(20_000): pass

def cleans_up_forever():
    while True: Cleans()

def jumps_back():
    while True:
        for number in (0, 0, 0, 0):
            if number:
                print(number)
        if number:
            print(number)

def piles_up():
    return list(count())

def never_returns_to_python():
    return sum(repeat(0))
"""
STUDENT: dict = {}
exec(compile(STUDENT_CODE, STUDENT_FILE, "exec"), STUDENT)


@pytest.fixture
def guard() -> Guard:
    """Limits of a fraction of a second."""
    return Guard(lambda name: name == STUDENT_FILE, Limits(seconds=0.3, seconds_again=0.1, megabytes=100))


def ended(guard: Guard, name: str) -> OverLimit:
    """Call a function of STUDENT_CODE, and return what it was ended with."""
    with pytest.raises(OverLimit) as caught, guard.watch():
        STUDENT[name]()
    return caught.value


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("endless", "endless"),
        ("swallows_everything", "swallows_everything"),
        ("sleeps", "sleeps"),
        ("counts_a_generator", "endless_generator"),
    ],
)
def test_code_that_never_returns_is_ended_and_the_function_that_loops_is_named(guard, name, function):
    with within(5):
        limit = ended(guard, name)
    assert limit.function == function and not limit.megabytes and not limit.returns
    assert re.fullmatch(rf"{function} did not return within .* in {STUDENT_FILE}, line \d+", str(limit))


def test_the_report_of_a_stopped_call_is_not_lost_if_the_code_swallows_the_first_interrupt(guard):
    with pytest.raises(OverLimit) as caught, guard.watch():
        call(STUDENT["swallows_it_once"])
    assert caught.value.failure.report.called == "swallows_it_once()"


def test_an_interrupt_where_nothing_can_be_raised_is_no_error_of_the_test(guard, monkeypatch):
    """In `__del__`, or while the garbage is collected. pytest would report it, or fail while it does."""
    lost: list = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)
    hook = sys.unraisablehook
    with pytest.raises(OverLimit), guard.watch():
        STUDENT["cleans_up_forever"]()
    assert lost == [] and sys.unraisablehook == hook


def test_a_loop_is_said_to_be_stopped_in_one_of_its_lines(guard):
    """Its jump back belongs to no line in Python 3.11; the signal arrives there now and then."""
    guard.limits = Limits(seconds=0.05, seconds_again=0.05)
    first = STUDENT["jumps_back"].__code__.co_firstlineno
    for _ in range(10):
        place = ended(guard, "jumps_back").place
        assert place is not None and first < place[1] <= first + 6


def test_a_pause_of_the_machine_is_not_the_students_time(guard, monkeypatch):
    """Its clock goes on meanwhile, and one signal comes in place of many."""
    setitimer = signal.setitimer
    monkeypatch.setattr(signal, "setitimer", lambda which, *times: setitimer(which, *(50 * time for time in times)))
    with guard.watch():
        STUDENT["sleeps"](1.5)


def test_the_function_that_stays_is_to_blame_and_not_what_it_calls(guard):
    guard.limits = Limits(seconds=0.6)
    assert ended(guard, "calls_it_forever").function == "calls_it_forever"


def test_many_short_calls_are_said_to_be_many(guard):
    with pytest.raises(OverLimit, match="short, called repeatedly") as caught, guard.watch():
        while True:
            STUDENT["short"]()
    assert caught.value.returns


def test_a_function_that_hit_the_limit_is_ended_sooner_the_next_time(guard):
    guard.limits = Limits(seconds=1, seconds_again=0.1)
    assert ended(guard, "endless").seconds > 0.9
    assert ended(guard, "endless").seconds < 0.9
    assert ended(guard, "counts_a_generator").seconds > 0.9


def test_only_the_time_of_the_students_code_counts(guard):
    """Not that of the engine's compilation, of pytest or of hypothesis."""
    with guard.watch():
        end = time.process_time() + 3 * guard.limits.seconds
        while time.process_time() < end:
            pass
        assert STUDENT["short"]() == 1_999_000


@pytest.mark.skipif(sys.platform != "linux", reason="no such limit on macOS")
def test_a_list_that_grows_gets_a_memory_error(guard):
    guard.limits = Limits(megabytes=100)
    before = resource.getrlimit(resource.RLIMIT_DATA)
    with pytest.raises(MemoryError), guard.watch():
        STUDENT["piles_up"]()
    assert resource.getrlimit(resource.RLIMIT_DATA) == before


def test_another_timer_runs_on_afterwards(guard):
    def rings(signum, frame): ...

    old = signal.signal(signal.SIGALRM, rings)
    try:
        signal.setitimer(signal.ITIMER_REAL, 500, 600)
        with guard.watch():
            pass
        left, interval = signal.getitimer(signal.ITIMER_REAL)
        assert signal.getsignal(signal.SIGALRM) is rings and 400 < left <= 500 and interval == 600
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, old)


def test_a_loop_that_no_interrupt_reaches_ends_the_process_and_shows_where():
    code = f"{STUDENT_CODE}\nimport sys\nfrom coach.testing.limits import Guard, Limits\n"
    code += "with Guard(bool, Limits(last_resort=0.5), sys.stderr).watch():\n    never_returns_to_python()\n"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode != 0
    assert "in never_returns_to_python" in done.stderr
