"""Progress of long tasks: a bar in a terminal, an output updated in place in a notebook, occasional lines in a log.

    with shown_progress(None, "Training", total=3832, unit="merges") as bar:
        for done in range(1, 3833):
            bar.update(done, tokens=len(ids), newest=b"the ", count=412)

    Training ━━━╸━━━━ 1,532/3,832 merges · 512,004 tokens · 0:04 left · newest the␣

The bar is redrawn at most ten times per second, so `update` can be called as often as needed.
"""

import html
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec

from g2c.common.text import token_text

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
    tokens: int | None = None
    newest: bytes | None = None
    count: int | None = None


Progress = bool | None | Callable[[Report], object]
"""What functions take as `progress`: True always shows a bar, False never, None only in a terminal or notebook. A
function is called with each report, and there is no bar."""


class Reporter:
    """What `shown_progress` yields. This base class shows nothing but to a function."""

    def __init__(self, task: str = "", total: int | None = None, function: Callable[[Report], object] = lambda _: None):
        self._report = Report(task, 0, total)
        self._function = function

    def update(
        self, done: int, *, tokens: int | None = None, newest: bytes | None = None, count: int | None = None
    ) -> None:
        """Report how far the task has come. The arguments are those of `Report`."""
        self._report = Report(self._report.task, done, self._report.total, tokens, newest, count)
        self._function(self._report)

    def skip(self, done: int) -> None:
        """Report what an earlier run has done already. The time left is estimated from what comes after it."""
        self.update(done)

    def note(self, text: str) -> None:
        """Show a sentence for the user."""

    def close(self) -> None:
        """Show the last report."""


@contextmanager
def shown_progress(progress: Progress, task: str, *, total: int | None, unit: str) -> Iterator[Reporter]:
    """Show how far a task has come, to whom `progress` says.

    Args:
        task: the word before the bar.
        total: the number of merges or bytes at the end; None if it is unknown.
        unit: "merges"; or "MB", in which bytes are shown.
    """
    bar: Reporter
    if callable(progress):
        bar = Reporter(task, total, progress)
    elif progress is False:
        bar = Reporter()
    elif in_notebook():
        bar = _NotebookBar(task, total, unit)
    elif sys.stderr is not None and sys.stderr.isatty() and find_spec("rich"):
        bar = _TerminalBar(task, total, unit)
    else:
        bar = _LogBar(task, total, unit) if progress else Reporter()
    try:
        yield bar
    finally:
        bar.close()


def in_notebook() -> bool:
    """Whether this runs in a Jupyter kernel, where outputs are HTML."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython is not None else None
    return hasattr(shell, "kernel")


class _Bar(Reporter):
    """The latest report as text. Subclasses draw it."""

    seconds_between_drawings = 0.1

    def __init__(self, task: str, total: int | None, unit: str) -> None:
        super().__init__(task, total, self._draw_sometimes)
        self._unit, self._skipped = unit, 0
        self._started = self._resumed = self._drawn = time.monotonic()
        self.open()

    def open(self) -> None:
        """Prepare the place where the bar is drawn."""

    def draw(self, facts: str) -> None:
        """Show the latest report, whose text is `facts`."""
        raise NotImplementedError

    def skip(self, done: int) -> None:
        self._skipped, self._resumed = done, time.monotonic()
        super().skip(done)

    def close(self) -> None:
        seconds = time.monotonic() - self._started
        self.draw(self._facts(f"took {_clock(seconds)}" if seconds >= 1 else ""))

    def _draw_sometimes(self, report: Report) -> None:
        now = time.monotonic()
        if now - self._drawn >= self.seconds_between_drawings:
            self._drawn = now
            seconds, done, left = now - self._resumed, report.done - self._skipped, ""
            if report.total and done and seconds >= 1:
                left = f"{_clock(seconds * (report.total - report.done) / done)} left"
            self.draw(self._facts(left))

    def _facts(self, time_text: str) -> str:
        """The report as text: "1,532/3,832 merges · 512,004 tokens · 0:04 left · newest the␣ (412×)"."""
        report = self._report
        amounts = [report.done] if report.total is None else [report.done, report.total]
        shown = "/".join(f"{amount / 1e6:,.1f}" if self._unit == "MB" else f"{amount:,}" for amount in amounts)
        parts = [f"{shown} {self._unit}", "" if report.tokens is None else f"{report.tokens:,} tokens", time_text]
        if report.newest is not None:
            newest = token_text(report.newest, longest=_MAX_TOKEN_CHARACTERS)
            parts.append(f"newest {newest}" + (f" ({report.count:,}×)" if report.count else ""))
        return " · ".join(filter(None, parts))


class _NotebookBar(_Bar):
    """One cell output, updated in place as HTML and plain text, which a saved notebook keeps."""

    def open(self) -> None:
        from IPython.display import display

        self._notes: list[str] = []
        self._handle = display({"text/plain": ""}, raw=True, display_id=True)

    def draw(self, facts: str) -> None:
        lines = [f"{self._report.task}: {facts}", *self._notes]
        bar, total = "", self._report.total
        if total is not None:
            share = min(self._report.done / total, 1.0) if total else 1.0
            bar = f'<progress max="1" value="{share:.4f}"></progress> '
        shown = "<br>".join(html.escape(line) for line in lines)
        self._handle.update({"text/plain": "\n".join(lines), "text/html": f"<div>{bar}{shown}</div>"}, raw=True)

    def note(self, text: str) -> None:
        self._notes.append(text)


class _TerminalBar(_Bar):
    """One line of the terminal, redrawn in place by the library rich. What is printed meanwhile appears above it."""

    def open(self) -> None:
        # Imported only now: importing rich takes long, and most processes show no bar.
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn
        from rich.table import Column

        self._rich = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=8),
            TextColumn("{task.fields[facts]}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis")),
            console=Console(stderr=True),
            auto_refresh=False,
        )
        self._row = self._rich.add_task(self._report.task, total=self._report.total, facts="")
        self._rich.start()

    def draw(self, facts: str) -> None:
        self._rich.update(self._row, completed=self._report.done, facts=facts, refresh=True)

    def note(self, text: str) -> None:
        self._rich.console.print(text, markup=False, highlight=False)

    def close(self) -> None:
        super().close()
        self._rich.stop()


class _LogBar(_Bar):
    """Plain lines on stderr, for a log file: one every few seconds, and one at the end."""

    seconds_between_drawings = 5.0

    def draw(self, facts: str) -> None:
        self.note(f"{self._report.task}: {facts}")

    def note(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
