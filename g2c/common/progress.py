"""Reporting the progress of long tasks, with a bar in a terminal or a notebook, drawn by tqdm.

    with shown_progress(None, "Training", total=3832, unit="merges") as bar:
        for done in range(1, 3833):
            bar.update(done, tokens=len(ids), newest=b"the ", count=412)

    Training: ███▏     1532/3832 merges [00:03<00:04, 512,004 tokens, newest the␣ (412×)]

The bar is redrawn at most ten times per second, so `update` can be called often.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from g2c.common.text import token_text


@dataclass(frozen=True)
class ProgressReport:
    """Tells how far a task has come: the argument of a function that is given as `progress`.

    task: its name, such as "Training". done, total: merges learned or bytes read, so far and at the end. tokens: the
    number of tokens in the corpus now, or written so far. newest, count: the bytes of the token learned last, and how
    often its pair occurred. None is unknown, or does not apply to the task.
    """

    task: str
    done: int
    total: int | None
    tokens: int | None = None
    newest: bytes | None = None
    count: int | None = None


Progress = bool | None | Callable[[ProgressReport], object]
"""The argument `progress` of functions: True always shows a bar, False never, None only in a terminal or notebook. A
function is called with each report instead."""


class Reporter:
    """Receives a task's progress, and passes it on to a function, if there is one."""

    def __init__(self, task: str, total: int | None, function: Callable[[ProgressReport], object] | None = None):
        self._task, self._total, self._function = task, total, function

    def update(self, done: int, **facts: Any) -> None:
        """Report how far the task has come, with attributes of `ProgressReport`."""
        if self._function:
            self._function(ProgressReport(self._task, done, self._total, **facts))

    def close(self) -> None:
        """Show the last report."""


@contextmanager
def shown_progress(progress: Progress, task: str, *, total: int | None, unit: str) -> Iterator[Reporter]:
    """Show how far a task has come, in the way that `progress` chooses. `task` is the word before the bar, `total` the
    number at the end, None if unknown, of the `unit` "merges", or "MB" to show bytes."""
    if progress is None:
        progress = in_notebook() or (sys.stderr is not None and sys.stderr.isatty())
    function = progress if callable(progress) else None
    reporter = _Bar(task, total, unit) if progress and not function else Reporter(task, total, function)
    try:
        yield reporter
    finally:
        reporter.close()


def in_notebook() -> bool:
    """Tell whether this runs in a Jupyter kernel, where outputs are HTML."""
    ipython = sys.modules.get("IPython")
    return ipython is not None and hasattr(ipython.get_ipython(), "kernel")


class _Bar(Reporter):
    """Shows the latest report in a line, which is redrawn in place."""

    def __init__(self, task: str, total: int | None, unit: str) -> None:
        from tqdm import tqdm  # It imports slowly, and most processes show no bar.

        super().__init__(task, total, self._draw)
        stream = sys.stdout if in_notebook() else sys.stderr  # A notebook shows stderr on a red background.
        sizes = {"unit": f" {unit}"} if unit != "MB" else {"unit": "B", "unit_scale": True}
        end = "{postfix}]" if unit != "MB" else ", {rate_fmt}{postfix}]"
        line = "{desc}: {bar:8} {n_fmt}/{total_fmt}{unit} [{elapsed}<{remaining}" + end
        options = {"bar_format": line, "miniters": 1, "dynamic_ncols": True, **sizes}
        self._bar = tqdm(desc=task, total=total, file=stream, **options)

    def close(self) -> None:
        # Otherwise a shorter last line would be padded with spaces, which a notebook would keep.
        self._bar.clear()
        self._bar.close()

    def _draw(self, report: ProgressReport) -> None:
        facts = [] if report.tokens is None else [f"{report.tokens:,} tokens"]
        if report.newest is not None:
            times = f" ({report.count:,}×)" if report.count else ""
            facts.append(f"newest {token_text(report.newest, longest=16)}{times}")
        self._bar.set_postfix_str(", ".join(facts), refresh=False)
        self._bar.update(report.done - self._bar.n)
