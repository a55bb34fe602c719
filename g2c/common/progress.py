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

SECONDS_BETWEEN_DRAWINGS = 0.1
SECONDS_BETWEEN_LOG_LINES = 5.0
_SPEED_WINDOW_SECONDS = 20.0
_LONGEST_TOKEN = 16


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

    def update(
        self, done: int, *, tokens: int | None = None, newest: bytes | None = None, count: int | None = None
    ) -> None:
        """Report how far the task has come.

        Args:
            done: merges learned, or bytes read, since the start.
            tokens: the number of tokens that the corpus has now, or that were written so far.
            newest: the bytes of the token learned last.
            count: how often its pair occurred in the corpus.
        """

    def note(self, text: str) -> None:
        """Show a sentence below the bar."""


class _Caller(Reporter):
    """Hands each report to a function."""

    def __init__(self, function: Callable[[Report], object], total: int | None, description: str) -> None:
        self._function, self._total, self._description = function, total, description

    def update(
        self, done: int, *, tokens: int | None = None, newest: bytes | None = None, count: int | None = None
    ) -> None:
        self._function(Report(self._description, done, self._total, tokens, newest, count))


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
    progress: Progress, total: int | None, description: str, unit: str, format_amount: Callable[[int], str]
) -> Iterator[Reporter]:
    if callable(progress):
        yield _Caller(progress, total, description)
        return
    kind = _kind_of_bar(progress)
    if kind is None:
        yield Reporter()
        return
    bar = kind(total, description, unit, format_amount)
    try:
        yield bar
    finally:
        bar.close()


def _kind_of_bar(progress: bool | None) -> "type[Bar] | None":
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


class Bar(Reporter):
    """The latest report and its text. Subclasses draw it."""

    seconds_between_drawings = SECONDS_BETWEEN_DRAWINGS

    def __init__(self, total: int | None, description: str, unit: str, format_amount: Callable[[int], str]) -> None:
        self.total = total
        self.description = description
        self.unit = unit
        self.format_amount = format_amount
        self.done = 0
        self.tokens: int | None = None
        self.newest: bytes | None = None
        self.count: int | None = None
        self.notes: list[str] = []
        self.closed = False
        self.started = time.monotonic()
        self._samples = deque([(self.started, 0)])
        self._next_drawing = self.started
        self.open()

    def update(
        self, done: int, *, tokens: int | None = None, newest: bytes | None = None, count: int | None = None
    ) -> None:
        self.done, self.tokens, self.newest, self.count = done, tokens, newest, count
        now = time.monotonic()
        if now >= self._next_drawing:
            self._next_drawing = now + self.seconds_between_drawings
            self._samples.append((now, done))
            while now - self._samples[0][0] > _SPEED_WINDOW_SECONDS and len(self._samples) > 2:
                self._samples.popleft()
            self.draw()

    def note(self, text: str) -> None:
        self.notes.append(text)
        self.draw()

    def close(self) -> None:
        self.closed = True
        self.finish()

    def fraction(self) -> float | None:
        """The share of the task that is done, 0 to 1; None if the total is unknown."""
        if self.total is None:
            return None
        return min(self.done / self.total, 1.0) if self.total > 0 else 1.0

    def facts(self) -> str:
        """The latest report as text: "1,532/3,832 merges · 512,004 tokens · 0:04 left · newest the␣ (412×)"."""
        parts = [self._amount()]
        if self.tokens is not None:
            parts.append(f"{self.tokens:,} tokens")
        parts.append(self._time_spent() if self.closed else self._time_left())
        if self.newest is not None:
            newest = token_text(self.newest, longest=_LONGEST_TOKEN)
            parts.append(f"newest {newest}" + (f" ({self.count:,}×)" if self.count else ""))
        return " · ".join(part for part in parts if part)

    def _amount(self) -> str:
        total = "" if self.total is None else f"/{self.format_amount(self.total)}"
        return f"{self.format_amount(self.done)}{total} {self.unit}"

    def _time_left(self) -> str:
        (first_time, first_done), (last_time, last_done) = self._samples[0], self._samples[-1]
        if self.total is None or last_done <= first_done:
            return ""
        seconds = (self.total - last_done) * (last_time - first_time) / (last_done - first_done)
        return f"{_clock(seconds)} left"

    def _time_spent(self) -> str:
        seconds = time.monotonic() - self.started
        return f"took {_clock(seconds)}" if seconds >= 1 else ""

    def open(self) -> None:
        """Prepare the place where the bar is drawn."""

    def draw(self) -> None:
        """Show the latest report."""
        raise NotImplementedError

    def finish(self) -> None:
        """Show the final report."""
        self.draw()


class _NotebookBar(Bar):
    """One cell output, updated in place as HTML and plain text, which a saved notebook keeps."""

    def open(self) -> None:
        from IPython.display import display

        self._handle = display(self._bundle(), raw=True, display_id=True)  # type: ignore[no-untyped-call]

    def draw(self) -> None:
        self._handle.update(self._bundle(), raw=True)

    def _bundle(self) -> dict[str, str]:
        lines = [f"{self.description}: {self.facts()}", *self.notes]
        fraction = self.fraction()
        bar = "" if fraction is None else f'<progress max="1" value="{fraction:.4f}"></progress> '
        shown = "<br>".join(html.escape(line) for line in lines)
        return {"text/plain": "\n".join(lines), "text/html": f"<div>{bar}{shown}</div>"}


class _TerminalBar(Bar):
    """One line of the terminal, redrawn in place by the library rich, with notes below it."""

    def open(self) -> None:
        # Imported only now: importing rich takes long, and most processes show no bar.
        from rich.console import Console
        from rich.live import Live

        self._live = Live(console=Console(stderr=True), auto_refresh=False)
        self._live.start()

    def draw(self) -> None:
        from rich.console import Group
        from rich.progress_bar import ProgressBar
        from rich.table import Table
        from rich.text import Text

        line = Table.grid(padding=(0, 1))
        bar = ProgressBar(total=self.total, completed=self.done, width=8)
        facts = Text(self.facts(), no_wrap=True, overflow="ellipsis")
        line.add_row(Text(self.description, no_wrap=True), bar, facts)
        self._live.update(Group(line, *map(Text, self.notes)), refresh=True)

    def finish(self) -> None:
        self.draw()
        self._live.stop()


class _LogBar(Bar):
    """Plain lines on stderr, for a log file: one every few seconds, and one at the end."""

    seconds_between_drawings = SECONDS_BETWEEN_LOG_LINES

    def open(self) -> None:
        self._next_drawing = self.started + self.seconds_between_drawings

    def draw(self) -> None:
        print(f"{self.description}: {self.facts()}", file=sys.stderr, flush=True)

    def note(self, text: str) -> None:
        self.notes.append(text)

    def finish(self) -> None:
        self.draw()
        for note in self.notes:
            print(note, file=sys.stderr, flush=True)


def _thousands(number: int) -> str:
    return f"{number:,}"


def _megabytes(number: int) -> str:
    return f"{number / 1e6:,.1f}"


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
