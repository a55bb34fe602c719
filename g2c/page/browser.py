"""Gives Python in a browser what the course needs and a browser lacks. The worker imports it before anything else.

Timers are the worker's (files/worker.js), which looks at the clock; texts are split by the browser's RegExp
(regexes.py); and the lab's JavaScript trains and encodes in place of g2c.engine (engine.py).
"""

import signal
import sys
import time
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import js

_TIMERS = {signal.ITIMER_REAL: signal.SIGALRM, getattr(signal, "ITIMER_VIRTUAL", 1): signal.SIGVTALRM}


def _set_timer(which: int, seconds: float, interval: float = 0.0) -> tuple[float, float]:
    """Replace `signal.setitimer`."""
    left: tuple[float, float] = tuple(js.setTimer(int(_TIMERS[which]), seconds, interval).to_py())
    return left


if not hasattr(signal, "setitimer"):
    signal.setitimer, signal.ITIMER_VIRTUAL = _set_timer, 1
    time.thread_time = time.perf_counter


class _OnlyInstalled:
    """Says of a package that the page lacks where it is."""

    @staticmethod
    def find_spec(name: str, path: Sequence[str] | None = None, target: object = None) -> None:
        if name in ("numpy", "tokenizers", "tqdm"):
            raise ModuleNotFoundError(
                f"No module named {name!r} in this page; an installation of the course has it", name=name
            )


sys.meta_path.append(_OnlyInstalled)

# Imported only now, because modules of the course look for timers.
from g2c.page import engine  # noqa: E402
from g2c.tokenizer import patterns  # noqa: E402

patterns.LIBRARY = "g2c.page.regexes"
_engine: Any = SimpleNamespace(**vars(engine), WordCounts=SimpleNamespace(of=list))
sys.modules |= dict.fromkeys(["g2c.engine", "g2c.engine.exact", "g2c.engine.fast"], _engine)
