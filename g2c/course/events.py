"""What `g2c watch` waits for: a saved file, a key, or a terminal of another size, one after the other.

with Events(folders, names) as events:
    events.next()       SAVED, RESIZED, or the character of a key
"""

import os
import select
import sys
import termios
import threading
import tty
from collections.abc import Iterable
from pathlib import Path
from queue import Empty, Queue
from typing import Any

import watchfiles

SAVED, RESIZED = "saved", "resized"

STEP = 20
"""Milliseconds without a further change after which a save is complete: editors write a file in several steps."""
LOOK = 0.2
"""Seconds between two looks at the terminal's size."""
MAX_DELAY = 200
"""Milliseconds after which a change is reported even if changes go on."""


class Events:
    """Saved files, keys and changes of the terminal's size in one queue.

    Keys are read only if standard input and output are a terminal; `has_keys` says so. The terminal then shows no keys
    that are typed, and is as it was before at the end of the `with` block.
    """

    def __init__(self, folders: Iterable[Path], names: Iterable[str]) -> None:
        """
        Args:
            folders: where the files are. Folders are watched, because editors replace the file.
            names: names of the files.
        """
        self.has_keys = sys.stdin.isatty() and sys.stdout.isatty()
        self._folders = sorted(set(folders))
        self._names = frozenset(names)
        self._queue: Queue[str] = Queue()
        self._stop = threading.Event()

    def __enter__(self) -> "Events":
        threading.Thread(target=self._watch_files, daemon=True).start()
        if self.has_keys:
            self._terminal = termios.tcgetattr(sys.stdin)
            self._keys = threading.Thread(target=self._read_keys, daemon=True)
            self._keys.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        if self.has_keys:
            self._keys.join()
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, self._terminal)

    def next(self, seconds: float | None = None) -> str | None:
        """The next event; None when nothing happens for so many seconds."""
        try:
            return self._queue.get(timeout=seconds)
        except Empty:
            return None

    def _watch_files(self) -> None:
        try:
            self._report_saves()
        except OSError:
            # The system has no events left to give, or this file system sends none.
            self._report_saves(force_polling=True)

    def _report_saves(self, **options: Any) -> None:
        for _ in watchfiles.watch(
            *self._folders,
            watch_filter=lambda change, path: Path(path).name in self._names,
            step=STEP,
            debounce=MAX_DELAY,
            stop_event=self._stop,
            recursive=False,
            raise_interrupt=False,
            **options,
        ):
            self._queue.put(SAVED)

    def _read_keys(self) -> None:
        size = os.get_terminal_size()
        while not self._stop.is_set():
            # Keys are not shown, and arrive at once; Ctrl-C and Ctrl-Z still work. A shell may undo it after Ctrl-Z.
            tty.setcbreak(sys.stdin, termios.TCSADRAIN)
            if os.get_terminal_size() != size:
                size = os.get_terminal_size()
                self._queue.put(RESIZED)
            if not select.select([sys.stdin], [], [], LOOK)[0]:
                continue
            typed = os.read(sys.stdin.fileno(), 64).decode("utf-8", errors="ignore")
            if not typed:
                return
            # Arrow keys and the like arrive as a sequence that begins with Escape: one key, but none of ours.
            for key in [typed] if typed.startswith("\x1b") else typed:
                self._queue.put(key)
