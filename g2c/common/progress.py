"""Progress of long work: a bar in a terminal, an output updated in place in a notebook, a line now and then in a log.

    with training_progress(None, total=3832) as bar:
        for done in range(1, 3833):
            bar.update(done, tokens=len(ids), newest=b"the ", count=412)

    Training ━━━╸━━━━ 1,532/3,832 merges · 512,004 tokens · 0:04 left · newest the␣

Drawing happens at most ten times a second, so `update` may be called as often as you like.
"""

import html
import sys
import time
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec

from g2c.common.text import token_text

SECONDS_BETWEEN_DRAWINGS = 0.1
SECONDS_BETWEEN_LOG_LINES = 5.0
_SECONDS_OF_SPEED = 20.0
_LONGEST_TOKEN = 16


class Reporter:
    """What `training_progress` and `byte_progress` give you: it takes reports, and this one shows nothing."""

    def update(
        self, done: int, *, tokens: int | None = None, newest: bytes | None = None, count: int | None = None
    ) -> None:
        """Report how far the work is.

        Args:
            done: merges learned, or bytes read, since the beginning.
            tokens: number of tokens that the corpus has now, or that were written so far.
            newest: bytes of the token learned last.
            count: how often its pair stood in the corpus.
        """

    def note(self, text: str) -> None:
        """Show a sentence under the bar."""


def training_progress(
    progress: bool | None, *, total: int | None, description: str = "Training"
) -> "contextmanager[Reporter]":
    """Report the learning of merges.

    Args:
        progress: True shows the progress always, False never, None only in an interactive terminal or a notebook.
        total: number of merges to learn; None when it is unknown.
        description: the word before the bar.

    Returns:
        a context manager that gives a `Reporter`.
    """
    return _reporting(progress, total, description, "merges", _thousands)


def byte_progress(progress: bool | None, *, total: int | None, description: str) -> "contextmanager[Reporter]":
    """Report the reading of bytes. Arguments and result as for `training_progress`, with `total` in bytes."""
    return _reporting(progress, total, description, "MB", _megabytes)


@contextmanager
def _reporting(progress, total, description, unit, amount_text) -> Iterator[Reporter]:
    place = _place(progress)
    if place is None:
        yield Reporter()
        return
    bar = place(total, description, unit, amount_text)
    try:
        yield bar
    finally:
        bar.close()


def _place(progress: bool | None) -> "type[Bar] | None":
    """The kind of bar that fits where this runs; None when nothing is to be shown."""
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
    """The newest report, and the text that describes it. Subclasses say how it is drawn."""

    seconds_between_drawings = SECONDS_BETWEEN_DRAWINGS

    def __init__(self, total, description, unit, amount_text) -> None:
        self.total = total
        self.description = description
        self.unit = unit
        self.amount_text = amount_text
        self.done = 0
        self.tokens = self.newest = self.count = None
        self.notes: list[str] = []
        self.closed = False
        self.started = time.monotonic()
        self._samples = deque([(self.started, 0)])
        self._next_drawing = self.started
        self.open()

    def update(self, done, *, tokens=None, newest=None, count=None) -> None:
        self.done, self.tokens, self.newest, self.count = done, tokens, newest, count
        now = time.monotonic()
        if now >= self._next_drawing:
            self._next_drawing = now + self.seconds_between_drawings
            self._samples.append((now, done))
            while now - self._samples[0][0] > _SECONDS_OF_SPEED and len(self._samples) > 2:
                self._samples.popleft()
            self.draw()

    def note(self, text: str) -> None:
        self.notes.append(text)
        self.draw()

    def close(self) -> None:
        self.closed = True
        self.finish()

    def fraction(self) -> float | None:
        """Share of the work that is done, 0 to 1; None when the total is unknown."""
        if self.total is None:
            return None
        return min(self.done / self.total, 1.0) if self.total > 0 else 1.0

    def facts(self) -> str:
        """How far it is, in words: "1,532/3,832 merges · 512,004 tokens · 0:04 left · newest the␣ (412×)"."""
        parts = [self._amount()]
        if self.tokens is not None:
            parts.append(f"{self.tokens:,} tokens")
        parts.append(self._time_spent() if self.closed else self._time_left())
        if self.newest is not None:
            newest = token_text(self.newest, longest=_LONGEST_TOKEN)
            parts.append(f"newest {newest}" + (f" ({self.count:,}×)" if self.count else ""))
        return " · ".join(part for part in parts if part)

    def _amount(self) -> str:
        total = "" if self.total is None else f"/{self.amount_text(self.total)}"
        return f"{self.amount_text(self.done)}{total} {self.unit}"

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
        """Put the bar where it will be drawn."""

    def draw(self) -> None:
        raise NotImplementedError

    def finish(self) -> None:
        self.draw()


class _NotebookBar(Bar):
    """One output cell, replaced in place. It stays as HTML and plain text, so that a saved notebook shows it."""

    def open(self) -> None:
        from IPython.display import display

        self._handle = display(self._bundle(), raw=True, display_id=True)

    def draw(self) -> None:
        self._handle.update(self._bundle(), raw=True)

    def _bundle(self) -> dict[str, str]:
        lines = [f"{self.description}: {self.facts()}", *self.notes]
        fraction = self.fraction()
        bar = "" if fraction is None else f'<progress max="1" value="{fraction:.4f}"></progress> '
        shown = "<br>".join(html.escape(line) for line in lines)
        return {"text/plain": "\n".join(lines), "text/html": f"<div>{bar}{shown}</div>"}


class _TerminalBar(Bar):
    """One line of the terminal, redrawn in place by the library rich, with notes under it."""

    def open(self) -> None:
        # Imported when a bar is drawn: rich takes a while, and most processes show nothing.
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
    """Plain lines on stderr, for a log file: one every few seconds and one at the end."""

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
