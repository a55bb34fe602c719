"""Gives Python in a browser the timers that coach needs. The worker imports it before anything else.

Timers are the worker's (files/worker.js), which looks at the clock. The hook `page_starts` adds what the course needs.
"""

import signal
import time

import js

from coach.common.course_file import hook

_TIMERS = {signal.ITIMER_REAL: signal.SIGALRM, getattr(signal, "ITIMER_VIRTUAL", 1): signal.SIGVTALRM}


def _set_timer(which: int, seconds: float, interval: float = 0.0) -> tuple[float, float]:
    """Replace `signal.setitimer`."""
    left: tuple[float, float] = tuple(js.setTimer(int(_TIMERS[which]), seconds, interval).to_py())
    return left


if not hasattr(signal, "setitimer"):
    signal.setitimer, signal.ITIMER_VIRTUAL = _set_timer, 1
    time.thread_time = time.perf_counter


# Only now, because modules of the course look for timers.
if start := hook("page_starts"):
    start()
