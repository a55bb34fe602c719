"""What `g2c watch` waits for: a saved file, a key, or a terminal of another size, one after the other.

with Events(files) as events:
    events.next(0.1)    the path of a file that was saved, RESIZED, or the character of a key; None for none of them

Files are looked at many times a second. That costs next to nothing for a few of them, and unlike the notifications of
the system it notices changes on every file system.
"""

import os
import select
import sys
import termios
import tty
from collections.abc import Iterable
from pathlib import Path

RESIZED = "resized"


class Events:
    """Saved files, keys and changes of the terminal's size.

    Within the `with` block, the terminal shows no keys that are typed. Standard input and output must be one.
    """

    def __init__(self, files: Iterable[Path]) -> None:
        self._stamps = {file: _stamp(file) for file in files}

    def __enter__(self) -> "Events":
        self._terminal = termios.tcgetattr(sys.stdin)
        self._size = os.get_terminal_size()
        tty.setcbreak(sys.stdin, termios.TCSADRAIN)
        return self

    def __exit__(self, *_: object) -> None:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._terminal)

    def next(self, seconds: float) -> Path | str | None:
        """A key that is pressed within so many seconds, or what else has happened by then; None when nothing has."""
        # Keys are not shown, and arrive at once; Ctrl-C and Ctrl-Z still work. A shell may undo it after Ctrl-Z.
        tty.setcbreak(sys.stdin, termios.TCSADRAIN)
        if select.select([sys.stdin], [], [], seconds)[0]:
            # Keys with arrows send several characters. At the end of input, nobody is there any more.
            typed = os.read(sys.stdin.fileno(), 64)
            return typed.decode("utf-8", errors="ignore") if typed else "q"
        if self._size != (size := os.get_terminal_size()):
            self._size = size
            return RESIZED
        for file, before in self._stamps.items():
            # A file that an editor is replacing is missing for a moment.
            if (stamp := _stamp(file)) not in (before, None):
                self._stamps[file] = stamp
                return file
        return None


def _stamp(file: Path) -> tuple[int, int, int] | None:
    """What a save changes; None while the file is missing."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_ino, status.st_mtime_ns, status.st_size
