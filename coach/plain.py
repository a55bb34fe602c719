"""Prints text, and errors as sentences, for commands that run without rich, such as those behind the scripts."""

import errno
import io
import os
import shutil
import signal
import sys
import traceback
from collections.abc import Callable
from functools import wraps
from typing import TextIO

from coach.common.course_file import PROGRAM
from coach.common.errors import CourseError
from coach.common.packages import install_command
from coach.common.paths import is_own_package
from coach.testing.report import wrapped
from coach.testing.student_code import not_written, place_of

STOPPED = 130
"""The exit code after Ctrl-C, as in shells: 128 plus the number of SIGINT."""


def errors_in_sentences(command: Callable[[], int], prefix: str = "") -> int:
    """Run a command, and print an error that a user can fix as a sentence after `prefix`. Returns the exit code."""
    # A stream that was closed (`g2c status >&-`) is None.
    sys.stdout, sys.stderr = (stream or open(os.devnull, "w") for stream in (sys.stdout, sys.stderr))
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            # A terminal that cannot show a character shows a question mark instead of raising an error.
            stream.reconfigure(errors="replace")
    try:
        return command()
    except CourseError as error:
        sentence = str(error)
    except NotImplementedError as error:
        todo = place_of(error.__traceback__)
        if todo is None:
            raise
        sentence = f"{not_written(todo)}. This command needs it. `{PROGRAM}` shows what to write next."
    except ModuleNotFoundError as error:
        if error.name is None or is_own_package(error.name):
            raise
        package, remedy = error.name.split(".")[0], install_command(error.name)
        sentence = f"The package {package} is missing. Install it with: {remedy}"
        if remedy is None:
            place = traceback.extract_tb(error.__traceback__)[-1]
            sentence = f"There is no module {error.name}, which {place.filename}, line {place.lineno}, imports."
    except KeyboardInterrupt:
        return STOPPED
    except BrokenPipeError:
        # The reader has closed the pipe (`g2c status | head`). Python would raise the error again when it flushes.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        # For errors that commands need not foresee, such as a path that the user may not use.
        is_full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        if error.filename is None and not is_full:
            raise
        remedy = "Check the path, its permissions, and those of the folders above it."
        if is_full:
            remedy = "Make room on the disk, or in your quota, then run the same command again."
        sentence = f"{error.filename or 'A file'} cannot be read or written: {error.strerror}. {remedy}"
    print(fitted(prefix + sentence, sys.stderr), file=sys.stderr)
    return 1


def reports_errors(main: Callable[[list[str]], int]) -> Callable[[list[str]], int]:
    """Decorate the function behind a script, so that it prints an error as a sentence and returns an exit code."""

    @wraps(main)
    def reporting(arguments: list[str]) -> int:
        # A script that is terminated also stops the programs that it has started.
        signal.signal(signal.SIGTERM, signal.default_int_handler)
        exit_code = errors_in_sentences(lambda: main(arguments))
        if exit_code == STOPPED:
            print("\nStopped. To continue, run the same command again.", file=sys.stderr)
        return exit_code

    return reporting


def print_line(text: str) -> None:
    print(text, flush=True)


def fitted(text: str, stream: TextIO) -> str:
    """Return `text`, with its lines wrapped at words if `stream` is a terminal."""
    width = width_of(stream)
    if width is None:
        return text
    return "\n".join(part for line in text.splitlines() for part in wrapped(line, width))


def width_of(stream: TextIO) -> int | None:
    """Return the width of a terminal; None for a file or a pipe."""
    return shutil.get_terminal_size().columns if stream.isatty() else None
