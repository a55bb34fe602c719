"""The bar that a terminal shows, drawn by the library rich. See progress.py for the other places."""

from collections.abc import Iterator, Sequence

from rich.console import Console, RenderableType
from rich.progress import BarColumn, Progress, ProgressColumn, TextColumn
from rich.text import Text

from g2c.progress import Bar


class TerminalBar(Bar):
    """A bar on one line of the terminal, with notes under it."""

    def open(self) -> None:
        self._progress = _ProgressWithNotes(
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=8),
            _FactsColumn(),
            console=Console(stderr=True),
            auto_refresh=False,
        )
        self._task = self._progress.add_task(self.description, total=self.total, facts="")
        self._progress.notes = self.notes
        self._progress.start()

    def draw(self) -> None:
        self._progress.update(self._task, completed=self.done, facts=self.facts(), refresh=True)

    def finish(self) -> None:
        self.draw()
        self._progress.stop()


class _ProgressWithNotes(Progress):
    """A bar with lines of text under it."""

    notes: Sequence[str] = ()

    def get_renderables(self) -> Iterator[RenderableType]:
        yield from super().get_renderables()
        yield from map(Text, self.notes)


class _FactsColumn(ProgressColumn):
    """The facts on one line, cut off at the right where the terminal is narrow."""

    def render(self, task) -> Text:
        return Text(task.fields["facts"], no_wrap=True, overflow="ellipsis")
