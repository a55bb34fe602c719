"""What `g2c watch` waits for: a saved file, a key, or a terminal of another size, one after the other.

with Events(files) as events:
    events.next()       the path of a file that was saved, RESIZED, or the character of a key

Files are looked at many times a second. That costs next to nothing for a few of them, and unlike the notifications of
the system it notices changes on every file system.
"""

import os
import select
import sys
import termios
import time
import tty
from collections.abc import Iterable
from pathlib import Path

RESIZED = "resized"

LOOK = 0.1
"""Seconds between two looks at the files and at the terminal's size."""
SETTLED = 0.02
"""Seconds without a further change after which a save is complete: editors write a file in several steps."""


class Events:
    """Saved files, keys and changes of the terminal's size.

    Within the `with` block, the terminal shows no keys that are typed. Standard input and output must be one.
    """

    def __init__(self, files: Iterable[Path]) -> None:
        self._stamps = {file: _stamp(file) for file in files}
        self._typed = ""

    def __enter__(self) -> "Events":
        self._terminal = termios.tcgetattr(sys.stdin)
        self._size = os.get_terminal_size()
        tty.setcbreak(sys.stdin, termios.TCSADRAIN)
        return self

    def __exit__(self, *_: object) -> None:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._terminal)

    def next(self, seconds: float | None = None) -> Path | str | None:
        """The next event; None when nothing happens for so many seconds."""
        end = None if seconds is None else time.monotonic() + seconds
        while not (event := self._event()):
            left = LOOK if end is None else min(LOOK, end - time.monotonic())
            if left <= 0:
                return None
            self._wait(left)
        return event

    def _event(self) -> Path | str | None:
        if self._size != (size := os.get_terminal_size()):
            self._size = size
            return RESIZED
        for file, before in self._stamps.items():
            # A file that an editor is replacing is missing for a moment.
            while (stamp := _stamp(file)) not in (self._stamps[file], None):
                self._stamps[file] = stamp
                time.sleep(SETTLED)
            if self._stamps[file] != before:
                return file
        key, self._typed = self._typed, ""
        return key or None

    def _wait(self, seconds: float) -> None:
        """Wait for a key, for so long at most."""
        # Keys are not shown, and arrive at once; Ctrl-C and Ctrl-Z still work. A shell may undo it after Ctrl-Z.
        tty.setcbreak(sys.stdin, termios.TCSADRAIN)
        if not select.select([sys.stdin], [], [], seconds)[0]:
            return
        # Some keys, such as those with arrows, send several characters. At the end of input, nobody is there any more.
        self._typed = os.read(sys.stdin.fileno(), 64).decode("utf-8", errors="ignore") or "q"


def _stamp(file: Path) -> tuple[int, int, int] | None:
    """What a save changes; None while the file is missing."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
