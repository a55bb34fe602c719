"""Progress of long tasks: a bar in a terminal, an output updated in place in a notebook, occasional lines in a log.

    with training_progress(None, total=3832) as bar:
        for done in range(1, 3833):
            bar.update(done, tokens=len(ids), newest=b"the ", count=412)

    Training ━━━╸━━━━ 1,532/3,832 merges · 512,004 tokens · 0:04 left · newest the␣

The bar is redrawn at most ten times per second, so `update` can be called as often as needed.
"""

import html
import sys
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib.util import find_spec

from g2c.common.text import token_text

_SECONDS_BETWEEN_DRAWINGS = 0.1
_SECONDS_BETWEEN_LOG_LINES = 5.0
_SPEED_WINDOW_SECONDS = 20.0
_MAX_TOKEN_CHARACTERS = 16


@dataclass(frozen=True)
class Report:
    """How far a task has come: the argument of a function that is given as `progress`.

    Attributes:
        task: what is being done, such as "Training" or "Reading".
        done: merges learned, or bytes read, since the start.
        total: the same when the task is finished; None if it is unknown.
        tokens: the number of tokens that the corpus has now, or that were written so far; None if it is unknown.
        newest: the bytes of the token learned last; None if the task learns no tokens.
        count: how often its pair occurred in the corpus.
    """

    task: str
    done: int
    total: int | None
    tokens: int | None
    newest: bytes | None
    count: int | None


Progress = bool | None | Callable[[Report], object]
"""What functions take as `progress`: True always shows a bar, False never, None only in a terminal or notebook. A
function is called with each report, and there is no bar."""


class Reporter:
    """What `training_progress` and `byte_progress` yield. This base class shows nothing."""

    def __init__(self, task: str = "", total: int | None = None) -> None:
        self._task, self._total = task, total

    def update(
        self, done: int, *, tokens: int | None = None, newest: bytes | None = None, count: int | None = None
    ) -> None:
        """Report how far the task has come. The arguments are those of `Report`."""
        self._show(Report(self._task, done, self._total, tokens, newest, count))

    def note(self, text: str) -> None:
        """Show a sentence for the user."""

    def _show(self, report: Report) -> None:
        """Show a report."""


class _Caller(Reporter):
    """Passes each report to a function."""

    def __init__(self, task: str, total: int | None, function: Callable[[Report], object]) -> None:
        super().__init__(task, total)
        self._function = function

    def _show(self, report: Report) -> None:
        self._function(report)


def training_progress(
    progress: Progress, *, total: int | None, description: str = "Training"
) -> AbstractContextManager[Reporter]:
    """Show the progress of learning merges.

    Args:
        progress: True always shows it, False never, None only in an interactive terminal or a notebook. A function is
            called with each `Report` instead.
        total: the number of merges to learn; None if it is unknown.
        description: the word before the bar.

    Returns:
        a context manager that yields a `Reporter`.
    """
    return _reporting(progress, total, description, "merges", _thousands)


def byte_progress(progress: Progress, *, total: int | None, description: str) -> AbstractContextManager[Reporter]:
    """Show the progress of reading bytes. Arguments and result as for `training_progress`, with `total` in bytes."""
    return _reporting(progress, total, description, "MB", _megabytes)


@contextmanager
def _reporting(
    progress: Progress, total: int | None, task: str, unit: str, format_amount: Callable[[int], str]
) -> Iterator[Reporter]:
    if callable(progress):
        yield _Caller(task, total, progress)
        return
    kind = _kind_of_bar(progress)
    if kind is None:
        yield Reporter()
        return
    bar = kind(task, total, unit, format_amount)
    bar.open()
    try:
        yield bar
    finally:
        bar.close()


def _kind_of_bar(progress: bool | None) -> "type[_Bar] | None":
    """The kind of bar that suits the environment; None to show nothing."""
    if progress is False:
        return None
    if in_notebook():
        return _NotebookBar
    if sys.stderr is not None and sys.stderr.isatty() and find_spec("rich"):
        return _TerminalBar
    return _LogBar if progress else None


def in_notebook() -> bool:
    """Whether this runs in a Jupyter kernel, where outputs are HTML."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return hasattr(shell, "kernel")


class _Bar(Reporter):
    """The latest report and its text. Subclasses draw it."""

    seconds_between_drawings = _SECONDS_BETWEEN_DRAWINGS

    def __init__(self, task: str, total: int | None, unit: str, format_amount: Callable[[int], str]) -> None:
        super().__init__(task, total)
        self._unit, self._format_amount = unit, format_amount
        self._report = Report(task, 0, total, None, None, None)
        self._notes: list[str] = []
        self._started = time.monotonic()
        self._samples = deque([(self._started, 0)])
        self._next_drawing = self._started

    def _show(self, report: Report) -> None:
        self._report = report
        now = time.monotonic()
        if now >= self._next_drawing:
            self._next_drawing = now + self.seconds_between_drawings
            self._samples.append((now, report.done))
            while now - self._samples[0][0] > _SPEED_WINDOW_SECONDS and len(self._samples) > 2:
                self._samples.popleft()
            self.draw(self._facts(self._time_left()))

    def note(self, text: str) -> None:
        self._notes.append(text)
        self.draw(self._facts(self._time_left()))

    def open(self) -> None:
        """Prepare the place where the bar is drawn."""

    def draw(self, facts: str) -> None:
        """Show the latest report, whose text is `facts`, and all notes."""
        raise NotImplementedError

    def close(self) -> None:
        """Show the final report."""
        seconds = time.monotonic() - self._started
        self.draw(self._facts(f"took {_clock(seconds)}" if seconds >= 1 else ""))

    def _facts(self, time_text: str) -> str:
        """A report as text: "1,532/3,832 merges · 512,004 tokens · 0:04 left · newest the␣ (412×)"."""
        report = self._report
        total = "" if report.total is None else f"/{self._format_amount(report.total)}"
        tokens = "" if report.tokens is None else f"{report.tokens:,} tokens"
        parts = [f"{self._format_amount(report.done)}{total} {self._unit}", tokens, time_text]
        if report.newest is not None:
            newest = token_text(report.newest, longest=_MAX_TOKEN_CHARACTERS)
            parts.append(f"newest {newest}" + (f" ({report.count:,}×)" if report.count else ""))
        return " · ".join(part for part in parts if part)

    def _time_left(self) -> str:
        (first_time, first_done), (last_time, last_done) = self._samples[0], self._samples[-1]
        if self._total is None or last_done <= first_done:
            return ""
        seconds = (self._total - last_done) * (last_time - first_time) / (last_done - first_done)
        return f"{_clock(seconds)} left"


class _NotebookBar(_Bar):
    """One cell output, updated in place as HTML and plain text, which a saved notebook keeps."""

    def open(self) -> None:
        from IPython.display import display

        self._handle = display({"text/plain": ""}, raw=True, display_id=True)

    def draw(self, facts: str) -> None:
        lines = [f"{self._task}: {facts}", *self._notes]
        bar = ""
        if self._total is not None:
            share = min(self._report.done / self._total, 1.0) if self._total else 1.0
            bar = f'<progress max="1" value="{share:.4f}"></progress> '
        shown = "<br>".join(html.escape(line) for line in lines)
        bundle = {"text/plain": "\n".join(lines), "text/html": f"<div>{bar}{shown}</div>"}
        self._handle.update(bundle, raw=True)


class _TerminalBar(_Bar):
    """One line of the terminal, redrawn in place by the library rich, with notes above it."""

    def open(self) -> None:
        # Imported only now: importing rich takes long, and most processes show no bar.
        from rich.console import Console
        from rich.progress import BarColumn, TextColumn
        from rich.progress import Progress as RichProgress
        from rich.table import Column

        one_line = Column(no_wrap=True, overflow="ellipsis")
        self._rich = RichProgress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=8),
            TextColumn("{task.fields[facts]}", markup=False, table_column=one_line),
            console=Console(stderr=True),
            auto_refresh=False,
        )
        self._row = self._rich.add_task(self._task, total=self._total, facts="")
        self._rich.start()

    def note(self, text: str) -> None:
        self._rich.console.print(text, markup=False, highlight=False)

    def draw(self, facts: str) -> None:
        self._rich.update(self._row, completed=self._report.done, facts=facts, refresh=True)

    def close(self) -> None:
        super().close()
        self._rich.stop()


class _LogBar(_Bar):
    """Plain lines on stderr, for a log file: one every few seconds, and one at the end."""

    seconds_between_drawings = _SECONDS_BETWEEN_LOG_LINES

    def open(self) -> None:
        self._next_drawing = self._started + self.seconds_between_drawings

    def draw(self, facts: str) -> None:
        _print(f"{self._task}: {facts}")

    def note(self, text: str) -> None:
        _print(text)


def _print(line: str) -> None:
    print(line, file=sys.stderr, flush=True)


def _thousands(number: int) -> str:
    return f"{number:,}"


def _megabytes(number: int) -> str:
    return f"{number / 1e6:,.1f}"


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
