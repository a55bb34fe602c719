"""A real terminal, as a student sees it: a program runs in it, keys are typed, and its screen can be read."""

import re
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

import pexpect
import pyte


class Terminal:
    """A program in a terminal of `rows` and `columns`.

    `lines` are those that are visible, as text; `screen` has their characters with colors and styles, as pyte has them.
    `received` is all that the program has written.
    """

    def __init__(
        self, command: Sequence[str], folder: Path, environment: Mapping[str, str], rows: int = 40, columns: int = 80
    ) -> None:
        # The program asks the terminal for its size.
        kept = {name: value for name, value in environment.items() if name not in ("COLUMNS", "LINES")}
        self._program = pexpect.spawn(
            command[0],
            list(command[1:]),
            cwd=str(folder),
            env={**kept, "TERM": "xterm-256color"},
            encoding="utf-8",
            dimensions=(rows, columns),
        )
        self.screen = pyte.HistoryScreen(columns, rows)
        self._stream = pyte.Stream(self.screen)
        self.received = ""

    @property
    def lines(self) -> list[str]:
        """The screen's lines up to the last one that is not empty."""
        lines = [line.rstrip() for line in self.screen.display]
        while lines and not lines[-1]:
            lines.pop()
        return lines

    @property
    def rows_scrolled_away(self) -> int:
        return len(self.screen.history.top)

    def type(self, text: str) -> None:
        self._program.send(text)

    def wait_for(self, pattern: str, seconds: float = 180) -> list[str]:
        """Wait until the screen shows this regular expression, then return its lines."""
        end = time.monotonic() + seconds
        while not re.search(pattern, "\n".join(self.lines), flags=re.MULTILINE):
            assert time.monotonic() < end, f"not on the screen: {pattern}\n" + "\n".join(self.lines)
            if not self._read():
                assert re.search(pattern, "\n".join(self.lines), flags=re.MULTILINE), "\n".join(self.lines)
        return self.lines

    def stays(self, seconds: float) -> bool:
        """Whether the screen shows the same for so many seconds."""
        before, end = self.lines, time.monotonic() + seconds
        while time.monotonic() < end:
            self._read()
        return self.lines == before

    def exit_code(self) -> int:
        """Wait until the program has ended, and return its exit code."""
        end = time.monotonic() + 180
        while self._read():
            assert time.monotonic() < end, "it has not ended"
        self._program.close()
        return self._program.exitstatus

    def close(self) -> None:
        self._program.close(force=True)

    def _read(self) -> bool:
        """Take in what the program has written meanwhile. False when it has ended."""
        try:
            text = self._program.read_nonblocking(65536, timeout=0.1)
        except pexpect.TIMEOUT:
            pass
        except pexpect.EOF:
            return False
        else:
            self.received += text
            self._stream.feed(text)
        return True
