"""Gives Python in a browser the timer that coach needs. The worker imports it before anything else.

The timer is that of files/worker.js, which looks at the clock. The hook `page_starts` adds what the course needs.
"""

import signal
import time

import js

from coach.common.course_file import hook


def _set_timer(which: int, seconds: float, interval: float = 0.0) -> tuple[float, float]:
    """Replace `signal.setitimer`, for the alarm alone."""
    left: tuple[float, float] = tuple(js.setTimer(seconds, interval).to_py())
    return left


if not hasattr(signal, "setitimer"):
    signal.setitimer = _set_timer
    time.thread_time = time.perf_counter


# Only now, because modules of the course look for timers.
if start := hook("page_starts"):
    start()
